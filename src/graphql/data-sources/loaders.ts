import type { DataSource } from "../../domain/data-sources/data-source.js";
import { defineBatchLoader, defineLoader } from "../shared/loaders.js";
import { PageLoaders } from "../shared/page-loaders.js";

export const dataSourcesById = defineBatchLoader<number, DataSource | null>(({ services, tenant }, keys) =>
  services.dataSources.byIds(tenant, keys),
);

export const dataSourcesByProvidedId = defineBatchLoader<string, DataSource | null>(
  ({ services, tenant }, keys) => services.dataSources.byProvidedIds(tenant, keys),
);

export const userGroupCountsOfDataSources = defineBatchLoader<number, number>(({ services, tenant }, keys) =>
  services.listing.countUserGroupsOfDataSources(tenant, keys),
);

export const userGroupsOfDataSources = defineLoader(
  ({ services, tenant }) =>
    new PageLoaders((ids, page) => services.listing.userGroupsOfDataSources(tenant, ids, page)),
);
