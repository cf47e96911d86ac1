import type { UserGroup, UserGroupRef } from "../../domain/user-groups/user-group.js";
import type { Loaders } from "../shared/loaders.js";
import { userGroupsById, userGroupsByProvidedId, userGroupsByToken } from "./loaders.js";

/** Loads the group that a reference names, or null. */
export async function loadUserGroup(loaders: Loaders, ref: UserGroupRef): Promise<UserGroup | null> {
  switch (ref.by) {
    case "id":
      return userGroupsById(loaders).load(ref.id);
    case "providedId":
      return userGroupsByProvidedId(loaders).load(ref.providedId);
    case "token":
      return userGroupsByToken(loaders).load(ref.token);
  }
}
