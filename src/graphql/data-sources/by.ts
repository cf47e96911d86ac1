import { Field, ID, InputType, Int } from "type-graphql";
import type { DataSourceRef } from "../../domain/data-sources/data-source.js";
import type { FieldPath } from "../../domain/shared/errors.js";
import { parseText } from "../../domain/shared/text-field.js";
import { parseNodeIdOfType } from "../shared/node-id.js";
import { requireOneOf } from "../shared/one-of.js";

@InputType("DataSourceBy", { description: "Names one data source, by exactly one of these." })
export class DataSourceBy {
  @Field(() => ID, { nullable: true, description: "The global id." })
  readonly id?: string | null;

  @Field(() => String, { nullable: true, description: "Your own id of the data source." })
  readonly providedId?: string | null;

  @Field(() => Int, { nullable: true, description: "The internal id." })
  readonly dataSourceId?: number | null;
}

/** @throws DomainError `invalid_field` unless exactly one identifier is set */
export function parseDataSourceBy(
  { id, providedId, dataSourceId }: DataSourceBy,
  field: FieldPath = ["by"],
): DataSourceRef {
  return requireOneOf<string, DataSourceRef>(field, {
    id: typeof id === "string" ? { by: "id", id: parseNodeIdOfType("DataSource", id) } : null,
    providedId:
      typeof providedId === "string"
        ? { by: "providedId", providedId: parseText(providedId, [...field, "providedId"]) }
        : null,
    dataSourceId: typeof dataSourceId === "number" ? { by: "id", id: dataSourceId } : null,
  });
}
