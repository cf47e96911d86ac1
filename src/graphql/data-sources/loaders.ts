import { defineBatchLoader, defineCache, defineLoader, PageLoaders } from "../shared/loaders.js";

export const dataSourcesById = defineCache(({ dataSources }) => dataSources.byId);

export const dataSourcesByProvidedId = defineCache(({ dataSources }) => dataSources.byProvidedId);

export const userGroupCountsOfDataSources = defineBatchLoader<number, number>(({ services, tenant }, keys) =>
  services.listing.countOfDataSources(tenant, keys),
);

export const userGroupsOfDataSources = defineLoader(
  ({ services, tenant }) => new PageLoaders((ids, page) => services.listing.ofDataSources(tenant, ids, page)),
);
