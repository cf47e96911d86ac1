import type { Connection } from "./connection.js";
import {
  PropertySchemaDocument,
  type PropertySchemaFieldsFragment,
  SetPropertySchemaDocument,
  type SetPropertySchemaInput,
} from "./generated/operations.js";
import { requireValue } from "./graphql-wire.js";
import type { CallOptions } from "./options.js";

/** The schema for the properties of an environment's groups: a JSON Schema or null, and what happens to properties that violate it. */
export type StoredPropertySchema = PropertySchemaFieldsFragment;

/** The schema for the properties of the environment's groups. */
export class PropertySchema {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async get(options?: CallOptions): Promise<StoredPropertySchema> {
    return this.#connection.run(PropertySchemaDocument, {}, options, (data) => data.propertySchema);
  }

  /** Needs a key with admin scope. @throws ConflictError if the version is not `expectedVersion`; ApiError that names invalid parts */
  async set(input: SetPropertySchemaInput, options?: CallOptions): Promise<StoredPropertySchema> {
    return this.#connection.mutate(SetPropertySchemaDocument, { input }, options, (data, response) =>
      requireValue(data.setPropertySchema, "propertySchema", response),
    );
  }
}
