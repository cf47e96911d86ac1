import type { UserGroup } from "../domain/user-group.js";

/** The interface's replies (decision 3): these keys, in this order, and no others. `token` is the group's, in the clear. */

export function getView(group: UserGroup, token: string, created: boolean) {
  return {
    success: 1,
    new_user_group: created,
    user_group: {
      team_id: group.id,
      token,
      name: group.name,
      provided_id: group.providedId,
      properties: group.properties,
    },
  };
}

export function putView(group: UserGroup, token: string) {
  return {
    success: 1,
    user_group: {
      team_id: group.id,
      token,
      name: group.name,
      provided_id: group.providedId,
      properties: group.properties,
      api_environment_tag: group.environment,
    },
  };
}

export function postView(group: UserGroup, token: string) {
  return {
    success: 1,
    user_group: {
      team_id: group.id,
      token,
      name: group.name,
      provided_id: group.providedId,
      api_environment_tag: group.environment,
    },
  };
}

export function deleteView() {
  return { success: 1 };
}
