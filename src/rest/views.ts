import type { UserGroup } from "../domain/user-groups/user-group.js";

/**
 * Replies with exactly these keys in this order (decision 3); `token` is in plain text. Replies with properties are serialized here,
 * because they include the stored JSON text of the properties unchanged (decision 12b).
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
