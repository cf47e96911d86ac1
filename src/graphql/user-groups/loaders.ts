import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { UserGroup, UserGroupRef } from "../../domain/user-groups/user-group.js";
import { defineBatchLoader, type Loaders } from "../shared/loaders.js";

export const userGroupsById = defineBatchLoader<number, UserGroup | null>(({ services, tenant }, keys) =>
  services.userGroupReader.byIds(tenant, keys),
);

export const userGroupsByProvidedId = defineBatchLoader<string, UserGroup | null>(
  ({ services, tenant }, keys) => services.userGroupReader.byProvidedIds(tenant, keys),
);

const userGroupsByToken = defineBatchLoader<string, UserGroup | null>(({ services, tenant }, keys) =>
  services.userGroupReader.byTokens(tenant, keys),
);

export const mappings = defineBatchLoader<number, readonly MappedDataSource[]>(({ services, tenant }, keys) =>
  services.userGroupReader.mappings(tenant, keys),
);

/** Loads a user group by reference; null if it does not exist. */
export function loadUserGroup(loaders: Loaders, ref: UserGroupRef): Promise<UserGroup | null> {
  switch (ref.by) {
    case "id":
      return userGroupsById(loaders).load(ref.id);
    case "providedId":
      return userGroupsByProvidedId(loaders).load(ref.providedId);
    case "token":
      return userGroupsByToken(loaders).load(ref.token);
  }
}
