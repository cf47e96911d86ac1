import type { UserGroup, UserGroupRef } from "../../domain/user-groups/user-group.js";
import type { Loaders } from "../shared/loaders.js";

/** Loads the group that a reference names, or null. */
export async function loadUserGroup(loaders: Loaders, ref: UserGroupRef): Promise<UserGroup | null> {
  switch (ref.by) {
    case "id":
      return loaders.userGroupsById.load(ref.id);
    case "providedId":
      return loaders.userGroupsByProvidedId.load(ref.providedId);
    case "token":
      return loaders.userGroupsByToken.load(ref.token);
  }
}
