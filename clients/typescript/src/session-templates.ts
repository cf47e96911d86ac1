import type { Connection } from "./connection.js";
import {
  CreateSessionTemplateDocument,
  type CreateSessionTemplateInput,
  DeleteSessionTemplateDocument,
  type DeleteSessionTemplateInput,
  type SessionTemplateFieldsFragment,
  SessionTemplatesDocument,
  UpdateSessionTemplateDocument,
  type UpdateSessionTemplateInput,
} from "./generated/operations.js";
import { requireSuccess, requireValue } from "./graphql-wire.js";
import type { CallOptions } from "./options.js";
import { type ListOptions, paginate } from "./pages.js";

/** A session template without its secret. */
export type SessionTemplate = SessionTemplateFieldsFragment;

/** Session templates of the environment. Changes need a key with admin scope. */
export class SessionTemplates {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Iterates over all templates by name, page by page. */
  list(options: ListOptions = {}): AsyncGenerator<SessionTemplate, void, undefined> {
    const { pageSize, ...call } = options;
    const read = async (first: number, after: string | null) =>
      this.#connection.run(SessionTemplatesDocument, { first, after }, call, (data) => data.sessionTemplates);
    return paginate(read, pageSize);
  }

  /** @throws ConflictError if the name is taken */
  async create(input: CreateSessionTemplateInput, options?: CallOptions): Promise<SessionTemplate> {
    return this.#connection.mutate(CreateSessionTemplateDocument, { input }, options, (data, response) =>
      requireValue(data.createSessionTemplate, "sessionTemplate", response),
    );
  }

  /** Updates the given fields. @throws NotFoundError; ConflictError if the name is taken, or the version is not `expectedVersion` */
  async update(input: UpdateSessionTemplateInput, options?: CallOptions): Promise<SessionTemplate> {
    return this.#connection.mutate(UpdateSessionTemplateDocument, { input }, options, (data, response) =>
      requireValue(data.updateSessionTemplate, "sessionTemplate", response),
    );
  }

  /** Its tokens stay valid until they expire. @throws NotFoundError; ConflictError if the version is not `expectedVersion` */
  async delete(input: DeleteSessionTemplateInput, options?: CallOptions): Promise<void> {
    return this.#connection.mutate(DeleteSessionTemplateDocument, { input }, options, (data, response) =>
      requireSuccess(data.deleteSessionTemplate.userErrors, response),
    );
  }
}
