import type { GraphqlFixture } from "../graphql/graphql-fixture.js";

/** Creates user groups named after their external IDs. @returns the external IDs in order of creation */
export async function createUserGroups(
  { run }: GraphqlFixture,
  prefix: string,
  count: number,
): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  const userGroups = ids.map((providedId) => ({ providedId, name: providedId }));
  const upsert = `mutation ($input: UpsertUserGroupsInput!) {
    upsertUserGroups(input: $input) { userErrors { message } }
  }`;
  const data = await run(upsert, { input: { userGroups } });
  if (data.upsertUserGroups.userErrors.length > 0) throw new Error(JSON.stringify(data));
  return ids;
}
