import type { DataSource } from "../../domain/data-sources/data-source.js";
import { defineBatchLoader, defineCache, defineLoader } from "../shared/loaders.js";
import { PageLoaders } from "../shared/page-loaders.js";

export const dataSourcesById = defineCache<number, DataSource | null>(({ services, tenant }, id) =>
  services.dataSources.byId.load(tenant, id),
);

export const dataSourcesByProvidedId = defineCache<string, DataSource | null>(
  ({ services, tenant }, providedId) => services.dataSources.byProvidedId.load(tenant, providedId),
);

export const userGroupCountsOfDataSources = defineBatchLoader<number, number>(({ services, tenant }, keys) =>
  services.listing.countUserGroupsOfDataSources(tenant, keys),
);

export const userGroupsOfDataSources = defineLoader(
  ({ services, tenant }) =>
    new PageLoaders((ids, page) => services.listing.userGroupsOfDataSources(tenant, ids, page)),
);
