import { GraphQLSafeInt } from "graphql-scalars";
import { Directive, Field, ID, InputType } from "type-graphql";
import type { DataSource, DataSourceRef } from "../../domain/data-sources/data-source.js";
import type { FieldPath } from "../../domain/shared/errors.js";
import { isPresent } from "../../domain/shared/json.js";
import type { PageRequest } from "../../domain/shared/pagination.js";
import { parseText } from "../../domain/shared/text-field.js";
import { defineBatchLoader, defineLoader, type Loaders, RequestLoaders } from "../shared/loaders.js";
import { parseNodeIdOfType } from "../shared/node.js";
import { missingOneOfField, nullable } from "../shared/nullable.js";

@Directive("@oneOf")
@InputType("DataSourceBy", { description: "Identifies a data source by exactly one of these fields." })
export class DataSourceBy {
  @Field(() => ID, nullable("The data source's global ID."))
  readonly id?: string | null;

  @Field(() => String, nullable("The data source's external ID."))
  readonly providedId?: string | null;

  @Field(() => GraphQLSafeInt, nullable("The data source's internal ID."))
  readonly dataSourceId?: number | null;
}

/** @throws DomainError `invalid_field` */
export function parseDataSourceBy(
  { id, providedId, dataSourceId }: DataSourceBy,
  field: FieldPath = ["by"],
): DataSourceRef {
  if (isPresent(id)) return { by: "id", id: parseNodeIdOfType("DataSource", id) };
  if (isPresent(providedId)) {
    return { by: "providedId", providedId: parseText(providedId, [...field, "providedId"]) };
  }
  if (isPresent(dataSourceId)) return { by: "id", id: dataSourceId };
  throw missingOneOfField("DataSourceBy");
}

/** Loads a data source by reference; null if it does not exist. */
export function loadDataSource(
  { services: { dataSources }, tenant }: Loaders,
  ref: DataSourceRef,
): Promise<DataSource | null> {
  return ref.by === "id"
    ? dataSources.byId.load(tenant, ref.id)
    : dataSources.byProvidedId.load(tenant, ref.providedId);
}

export const countUserGroupsOfDataSource = defineBatchLoader(
  ({ services, tenant }, keys: readonly number[]) => services.listing.countOfDataSources(tenant, keys),
);

export const userGroupsOfDataSources = defineLoader(
  ({ services, tenant }) =>
    new RequestLoaders((ids, page: PageRequest) => services.listing.ofDataSources(tenant, ids, page)),
);
