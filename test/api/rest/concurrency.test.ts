import { describe, expect, test } from "vitest";
import { skipOnCitus } from "../../support/citus/skip-on-citus.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { holdTransaction } from "../../support/postgres/held-transaction.js";
import { expectError, userGroupOf } from "../../support/rest/rest-fixture.js";

const { rest: call, service } = await startGraphql({ speed: { keyCacheMs: 0 } });

test("50 concurrent first GETs of one ID create one group and return one token", async () => {
  for (const mapping of [{}, { main: "sales", extra: "support" }]) {
    const id = `contested ${Object.keys(mapping).length}`;
    const body = { user_group_id: id, name: "Contested", mapping };
    const replies = await Promise.all(Array.from({ length: 50 }, () => call("GET", body)));
    expect(replies.map(({ status }) => status)).toEqual(Array(50).fill(200));
    expect(replies.filter(({ body: reply }) => Object(reply).new_user_group === true)).toHaveLength(1);
    expect(new Set(replies.map((reply) => userGroupOf(reply).token)).size).toBe(1);
    expect(new Set(replies.map((reply) => userGroupOf(reply).team_id)).size).toBe(1);
  }
});

test("concurrent creation, rotation and deletion of one ID never returns a wrong reply", async () => {
  const statuses = new Set<number>();
  const worker = async () => {
    for (let round = 0; round < 20; round += 1) {
      const got = await call("GET", { user_group_id: "storm", name: "Storm", mapping: { main: "sales" } });
      expect(got.status).toBe(200);
      const rotated = await call("POST", { current_token: userGroupOf(got).token });
      const token = userGroupOf(rotated.status === 200 ? rotated : got).token;
      const deleted = await call("DELETE", { current_token: token, user_group_id: "storm" });
      statuses.add(rotated.status).add(deleted.status);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  expect([...statuses].sort()).toEqual([200, 404]);
});

test("GET of an existing group takes two statements: the key's and the group's", async () => {
  await call("GET", { user_group_id: "cheap", name: "Cheap" });
  service.statements.length = 0;
  await call("GET", { user_group_id: "cheap" });
  expect(service.statements).toHaveLength(2);
});

describe("concurrent changes", () => {
  const ids = Array.from({ length: 60 }, (_, index) => `group ${index}`);
  const getAll = () => Promise.all(ids.map((id) => call("GET", { user_group_id: id, name: id })));

  test.each([
    ["created", getAll],
    ["updated", () => Promise.all(ids.map((id) => call("PUT", { user_group_id: id, name: "renamed" })))],
    [
      "token_rotated",
      async () => {
        const tokens = (await getAll()).map((reply) => userGroupOf(reply).token);
        return Promise.all(tokens.map((token) => call("POST", { current_token: token })));
      },
    ],
  ])("of different groups are each recorded once as %s, with their own request", async (action, change) => {
    await service.query("DELETE FROM audit_entry");
    const replies = await change();
    expect(replies.map(({ status }) => status)).toEqual(ids.map(() => 200));
    const entries = await service.query(
      "SELECT subject_name AS name, request_id AS request FROM audit_entry WHERE action = $1",
      [`user_group.${action}`],
    );
    const expected = replies.map(({ headers }, at) => ({ name: ids[at], request: headers["x-request-id"] }));
    expect(entries).toHaveLength(ids.length);
    expect(entries).toEqual(expect.arrayContaining(expected));
  });

  test("of one group are each applied, and one of its rotations", async () => {
    const { token } = userGroupOf(await call("GET", { user_group_id: "shared", name: "shared" }));
    const attempts = Array.from({ length: 10 }, (_, index) => `name ${index}`);
    const [rotated, renamed] = await Promise.all([
      Promise.all(attempts.map(() => call("POST", { current_token: token }))),
      Promise.all(attempts.map((name) => call("PUT", { user_group_id: "shared", name }))),
    ]);
    expect(rotated.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(404)]);
    expect(renamed.map(({ body }) => Object(body).user_group.name)).toEqual(attempts);
    expect(await service.query("SELECT version FROM user_group WHERE provided_id = 'shared'")).toEqual([
      { version: 12 },
    ]);
  });
});

test.for([
  ["sales", 409],
  ["support", 200],
] as const)(
  "a DELETE that waited for a change of the mapping compares its data source %s with the new mapping: %i",
  async ([source, status], context) => {
    skipOnCitus(context, "locks");
    const body = { user_group_id: "remapped", name: "remapped", mapping: { a: "sales" } };
    const { team_id, token } = userGroupOf(await call("GET", body));
    // Maps the schema to another data source, as a change of the mapping does.
    const lock = "SELECT id FROM user_group WHERE id = $1 FOR UPDATE";
    const remap = `UPDATE mapping_entry SET data_source_id = data_source.id FROM data_source, locked
      WHERE user_group_id = locked.id AND data_source.account_id = mapping_entry.account_id
        AND data_source.environment = mapping_entry.environment AND provided_id = 'support'`;
    const held = await holdTransaction(service, `WITH locked AS MATERIALIZED (${lock}) ${remap}`, [team_id]);
    const deletion = call("DELETE", { current_token: token, data_source_provided_id: source });
    await held.untilAwaited();
    await held.commit();
    if (status === 200) expect((await deletion).body).toEqual({ success: 1 });
    else {
      expectError(await deletion, 409, {
        code: "user_group_mismatch",
        message: "The request does not match the identified user group. Nothing was deleted.",
        field: "data_source_provided_id",
      });
      expect((await call("DELETE", { current_token: token })).status).toBe(200);
    }
  },
);
