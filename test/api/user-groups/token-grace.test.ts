import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createSession, readViewer } from "../../support/embed/sessions.js";
import { openGroupStream } from "../../support/graphql/event-stream-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";
import { userGroupOf } from "../../support/rest/rest-fixture.js";

const encryptionKey = randomBytes(32);
const { keys, mutate, rest, run, service } = await startGraphql({ tokenGraceSeconds: 60, encryptionKey });
/** The same database without a grace period, for rotations over REST, which have no argument. */
const { target, owner } = service;
const { service: strict } = await startGraphql({
  tokenGraceSeconds: 0,
  encryptionKey,
  use: { target, owner },
});

const create = async (id: string) => userGroupOf(await rest("GET", { user_group_id: id, name: "A" })).token;
const canRead = async (token: string) =>
  (await run("query ($token: String!) { userGroup(by: { token: $token }) { id } }", { token })).userGroup !==
  null;

/** Rotates a token. @param graceSeconds undefined leaves the argument out @returns the new token */
type Rotate = (token: string, graceSeconds?: number | null) => Promise<string>;

const TOKEN = "userGroup { token }";
const withGrace = (graceSeconds: number | null | undefined) =>
  graceSeconds === undefined ? {} : { graceSeconds };
const single: Rotate = async (token, graceSeconds) => {
  const input = { by: { token }, ...withGrace(graceSeconds) };
  return (await mutate("rotateUserGroupToken", input, TOKEN)).userGroup.token;
};
const bulk: Rotate = async (token, graceSeconds) => {
  const input = { userGroups: [{ token }], ...withGrace(graceSeconds) };
  return (await mutate("rotateUserGroupTokens", input, `results { ${TOKEN} }`)).results[0].userGroup.token;
};
const post: Rotate = async (current_token, graceSeconds) => {
  const { url } = graceSeconds === 0 ? strict : service;
  return userGroupOf(await callRest(`${url}/api/user`, "POST", keys.admin, { current_token })).token;
};

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

// The default of GraphQL's argument is in argument-defaults.test.ts.
test("a rotation over REST has the service's grace period", async () => {
  const token = await create("rested");
  const next = await post(token);
  expect([await canRead(token), await canRead(next)]).toEqual([true, true]);
  const [{ grace }] = await service.query(
    "SELECT extract(epoch FROM previous_token_expires_at - updated_at)::float AS grace FROM user_group WHERE provided_id = 'rested'",
  );
  expect(grace).toBeGreaterThan(59);
  expect(grace).toBeLessThanOrEqual(60);
});

describe("of two rotations in a row", () => {
  const ways = { "REST POST": post, rotateUserGroupToken: single, rotateUserGroupTokens: bulk };
  // Each way with each grace, as the first and as the second rotation.
  const names = Object.keys(ways);
  const rows = names.flatMap((first, index) =>
    [
      [0, 60],
      [60, 0],
      [60, 60],
      [0, 0],
    ].map(
      ([one = 0, two = 0], step) => [first, one, names[(index + step) % names.length] ?? first, two] as const,
    ),
  );
  const rotateBy = new Map(Object.entries(ways));

  test.each(rows)(
    "%s with %i s, %s with %i s: the last former token reads if it has grace",
    async (...row) => {
      const [first, firstGrace, second, secondGrace] = row;
      const token = await create(row.join(" "));
      const session = await createSession(service, keys.admin, { current_token: token });
      const next = (await rotateBy.get(first)?.(token, firstGrace)) ?? "";
      expect([await canRead(token), await canRead(next)]).toEqual([firstGrace > 0, true]);
      const last = (await rotateBy.get(second)?.(next, secondGrace)) ?? "";
      expect([await canRead(token), await canRead(next), await canRead(last)]).toEqual([
        false,
        secondGrace > 0,
        true,
      ]);
      // Embed sessions end with the first rotation, and a former token creates none.
      expect((await readViewer(service, session.token)).status).toBe(401);
      for (const former of [token, next])
        await expect(createSession(service, keys.admin, { current_token: former })).rejects.toThrow(
          "user_group_not_found",
        );
    },
  );
});

test.each([
  ["rotateUserGroupToken", (token: string) => ({ by: { token } })],
  ["rotateUserGroupTokens", (token: string) => ({ userGroups: [{ token }] })],
] as const)("%s cannot extend the grace period", async (name, refer) => {
  const token = await create(`extend ${name}`);
  for (const graceSeconds of [-1, 61]) {
    expect((await mutate(name, { ...refer(token), graceSeconds }, "__typename")).userErrors).toMatchObject([
      { code: "INVALID_FIELD", field: ["graceSeconds"] },
    ]);
  }
  expect(await create(`extend ${name}`)).toBe(token);
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
