import { expect, test } from "vitest";
import { openGroupStream } from "../../support/graphql/event-stream-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { userGroupOf } from "../../support/rest/rest-fixture.js";

const { rest, run, service } = await startGraphql({ tokenGraceSeconds: 60 });

test("a rotated token can only read during its grace period", async () => {
  const readBy = async (token: string) =>
    (await run(`{ userGroup(by: { token: "${token}" }) { name token } }`)).userGroup;
  const first = userGroupOf(await rest("GET", { user_group_id: "acme", name: "Acme" })).token;
  const second = userGroupOf(await rest("POST", { current_token: first })).token;

  expect(await readBy(first)).toEqual({ name: "Acme", token: second });
  expect((await rest("POST", { current_token: first })).status).toBe(404);
  expect((await rest("DELETE", { current_token: first })).status).toBe(404);
  const update = `mutation { updateUserGroup(input: { by: { token: "${first}" }, name: "X" }) { userErrors { code } } }`;
  expect((await run(update)).updateUserGroup.userErrors).toEqual([{ code: "USER_GROUP_NOT_FOUND" }]);

  const third = userGroupOf(await rest("POST", { current_token: second })).token;
  expect(await readBy(first)).toBeNull();
  expect(await readBy(second)).toEqual({ name: "Acme", token: third });

  await service.query("UPDATE user_group SET previous_token_expires_at = now()");
  expect(await readBy(second)).toBeNull();
  expect(await readBy(third)).toEqual({ name: "Acme", token: third });
});

test("tokens that are rotated at the same time can all read during their grace period", async () => {
  const ids = Array.from({ length: 20 }, (_, index) => `together ${index}`);
  const tokens = await Promise.all(
    ids.map(async (id) => userGroupOf(await rest("GET", { user_group_id: id, name: id })).token),
  );
  const rotated = await Promise.all(
    tokens.map(async (token) => userGroupOf(await rest("POST", { current_token: token })).token),
  );
  for (const [index, token] of tokens.entries()) {
    const { userGroup } = await run(`{ userGroup(by: { token: "${token}" }) { name token } }`);
    expect(userGroup).toEqual({ name: ids[index], token: rotated[index] });
  }
  const all = ids.map((providedId) => ({ providedId }));
  const bulk = `mutation ($userGroups: [UserGroupBy!]!) {
    rotateUserGroupTokens(input: { userGroups: $userGroups }) { results { userGroup { name token } } }
  }`;
  const { results } = (await run(bulk, { userGroups: all })).rotateUserGroupTokens;
  for (const [index, token] of rotated.entries()) {
    const { userGroup } = await run(`{ userGroup(by: { token: "${token}" }) { name token } }`);
    expect(userGroup).toEqual(results[index].userGroup);
  }
  const [{ most, least }] = await service.query(
    `SELECT max(previous_token_expires_at - updated_at) <= interval '60 seconds' AS most,
      min(previous_token_expires_at - updated_at) > interval '50 seconds' AS least
    FROM user_group WHERE provided_id LIKE 'together %'`,
  );
  expect({ most, least }).toEqual({ most: true, least: true });
});

test("a rotation can shorten the grace period, and not extend it", async () => {
  const { token } = userGroupOf(await rest("GET", { user_group_id: "leaked", name: "Leaked" }));
  const rotate = async (graceSeconds: number) =>
    (
      await run(
        `mutation { rotateUserGroupToken(input: { by: { providedId: "leaked" }, graceSeconds: ${graceSeconds} }) {
          userGroup { token } userErrors { code field }
        } }`,
      )
    ).rotateUserGroupToken;
  for (const seconds of [-1, 61])
    expect((await rotate(seconds)).userErrors).toEqual([{ code: "INVALID_FIELD", field: ["graceSeconds"] }]);
  const { userGroup } = await rotate(0);
  expect((await run(`{ userGroup(by: { token: "${token}" }) { name } }`)).userGroup).toBeNull();
  await rotate(60);
  expect((await run(`{ userGroup(by: { token: "${userGroup.token}" }) { name } }`)).userGroup).not.toBeNull();
});

test("a rotated token's stream gets changes until the grace period ends", async () => {
  const { token } = userGroupOf(await rest("GET", { user_group_id: "grace", name: "Grace" }));
  const query = "subscription { userGroupChanged { kind } }";
  const stream = await openGroupStream(service.url, `Bearer ${token}`, query);
  await rest("POST", { current_token: token });
  const event = (kind: string) => ({ data: { userGroupChanged: { kind } } });
  expect(await stream.next()).toEqual(event("TOKEN_ROTATED"));
  await service.query(
    "UPDATE user_group SET previous_token_expires_at = now() + interval '2 seconds' WHERE provided_id = 'grace'",
  );
  await rest("PUT", { user_group_id: "grace", name: "New" });
  expect(await stream.next()).toEqual(event("UPDATED"));
  expect(await stream.next()).toBeUndefined();
  expect(stream.isComplete()).toBe(false);
});
