import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import { defineBatchLoader } from "../shared/loaders.js";

export const userGroupsById = defineBatchLoader<number, UserGroup | null>(({ services, tenant }, keys) =>
  services.userGroupReader.byIds(tenant, keys),
);

export const userGroupsByProvidedId = defineBatchLoader<string, UserGroup | null>(
  ({ services, tenant }, keys) => services.userGroupReader.byProvidedIds(tenant, keys),
);

export const userGroupsByToken = defineBatchLoader<string, UserGroup | null>(({ services, tenant }, keys) =>
  services.userGroupReader.byTokens(tenant, keys),
);

export const mappings = defineBatchLoader<number, readonly MappedDataSource[]>(({ services, tenant }, keys) =>
  services.userGroupReader.mappings(tenant, keys),
);
