import type { UserGroup, UserGroupRef } from "../../domain/user-groups/user-group.js";
import { defineCache, type Loaders } from "../shared/loaders.js";

export const userGroupsById = defineCache(({ userGroupReader }) => userGroupReader.byId);

export const userGroupsByProvidedId = defineCache(({ userGroupReader }) => userGroupReader.byProvidedId);

const userGroupsByToken = defineCache<string, UserGroup | null>(({ userGroupReader }) => ({
  load: (tenant, token) => userGroupReader.byToken(tenant, token),
}));

export const mappings = defineCache(({ userGroupReader }) => userGroupReader.mappings);

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
