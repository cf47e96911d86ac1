import { Field, ID, InputType, Int } from "type-graphql";
import type { DataSourceRef } from "../../domain/data-sources/data-source.js";
import type { FieldPath } from "../../domain/shared/errors.js";
import { parseText } from "../../domain/shared/text-field.js";
import { parseNodeIdOfType } from "../shared/node-id.js";
import { nullable } from "../shared/nullable.js";
import { requireOneOf } from "../shared/one-of.js";

@InputType("DataSourceBy", { description: "Identifies a data source by exactly one of these fields." })
export class DataSourceBy {
  @Field(() => ID, nullable("The data source's global ID."))
  readonly id?: string | null;

  @Field(() => String, nullable("The data source's external ID."))
  readonly providedId?: string | null;

  @Field(() => Int, nullable("The data source's internal ID."))
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
