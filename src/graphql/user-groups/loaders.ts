import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { UserGroup, UserGroupRef } from "../../domain/user-groups/user-group.js";
import { defineCache, type Loaders } from "../shared/loaders.js";

export const userGroupsById = defineCache<number, UserGroup | null>(({ services, tenant }, id) =>
  services.userGroupReader.byId.load(tenant, id),
);

export const userGroupsByProvidedId = defineCache<string, UserGroup | null>(
  ({ services, tenant }, providedId) => services.userGroupReader.byProvidedId.load(tenant, providedId),
);

const userGroupsByToken = defineCache<string, UserGroup | null>(({ services, tenant }, token) =>
  services.userGroupReader.byToken(tenant, token),
);

export const mappings = defineCache<number, readonly MappedDataSource[]>(({ services, tenant }, groupId) =>
  services.userGroupReader.mappings.load(tenant, groupId),
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
