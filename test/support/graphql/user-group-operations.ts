import type { Data, GraphqlFixture } from "./graphql-fixture.js";

const GROUP = `{
  id teamId providedId name environment token properties
  mapping { schemaId dataSource { providedId } } version createdAt updatedAt
}`;
/** Selects a user group of a payload. */
export const USER_GROUP = `userGroup ${GROUP}`;
const ERRORS = "userErrors { code message field }";
export const CREATE = `mutation ($input: CreateUserGroupInput!) {
  createUserGroup(input: $input) { userGroup ${GROUP} ${ERRORS} }
}`;
export const UPDATE = `mutation ($input: UpdateUserGroupInput!) {
  updateUserGroup(input: $input) { userGroup ${GROUP} ${ERRORS} }
}`;
export const ROTATE = `mutation ($input: RotateUserGroupTokenInput!) {
  rotateUserGroupToken(input: $input) { userGroup ${GROUP} ${ERRORS} }
}`;
export const UPSERT = `mutation ($input: UpsertUserGroupsInput!) {
  upsertUserGroups(input: $input) { results { userGroup ${GROUP} } ${ERRORS} }
}`;
export const READ = `query ($by: UserGroupBy!) { userGroup(by: $by) ${GROUP} }`;

/** The mutations that change no user group: every other one has rows in change-kinds.test.ts and unchanged-writes.test.ts. */
export const OTHER_MUTATIONS = [
  "createSessionTemplate",
  "createTemplateSession",
  "deleteSessionTemplate",
  "updateSessionTemplate",
  "setPropertySchema",
  "createApiKey",
  "createDataSource",
  "createEmbedSession",
  "createWebhookEndpoint",
  "deleteDataSource",
  "deleteSiteConfig",
  "deleteWebhookEndpoint",
  "patchSiteConfig",
  "putSiteConfig",
  "replayFailedWebhookDeliveries",
  "replayWebhookDelivery",
  "restoreSiteConfig",
  "revokeApiKey",
  "rotateWebhookSecret",
  "sendTestWebhook",
  "setSiteConfigVisibility",
  "updateDataSource",
  "updateWebhookEndpoint",
];

/** Creates a user group with all fields selected. */
export async function createUserGroup(
  { mutate }: GraphqlFixture,
  providedId: string,
  more: object = {},
  key?: string,
): Promise<Data> {
  const input = { providedId, name: providedId, ...more };
  const { userGroup, userErrors } = await mutate("createUserGroup", input, USER_GROUP, key);
  if (userErrors.length > 0) throw new Error(JSON.stringify(userErrors));
  return userGroup;
}

export function entry(schemaId: string, dataSource: string) {
  return { schemaId, dataSource };
}
