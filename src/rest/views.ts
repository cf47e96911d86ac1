import type { UserGroup } from "../domain/user-groups/user-group.js";

/**
 * The interface's replies (decision 3): these keys, in this order, and no others. `token` is the group's, in the clear. Replies with
 * properties are written here, because the text of the properties goes into them as it is stored (decision 12b).
 */

export function writeGetReply(group: UserGroup, token: string, created: boolean): string {
  return `{"success":1,"new_user_group":${created},"user_group":{${writeFields(group, token)}}}`;
}

export function writePutReply(group: UserGroup, token: string): string {
  return `{"success":1,"user_group":{${writeFields(group, token)},"api_environment_tag":"${group.environment}"}}`;
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

function writeFields({ id, name, providedId, properties }: UserGroup, token: string): string {
  const texts = `"token":${JSON.stringify(token)},"name":${JSON.stringify(name)},"provided_id":${JSON.stringify(providedId)}`;
  return `"team_id":${id},${texts},"properties":${properties ?? "null"}`;
}
