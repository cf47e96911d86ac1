import { expect, test } from "vitest";
import { skipOnCitus } from "../../support/citus/skip-on-citus.js";
import { holdTransaction } from "../../support/postgres/held-transaction.js";
import { expectError, useRest, userGroupOf } from "../../support/rest/rest-fixture.js";

const rest = useRest();

async function create(id: string) {
  return userGroupOf(await rest().call("GET", { user_group_id: id, name: id, mapping: { a: "sales" } }));
}

/** Maps the group's schema to another data source and holds the transaction, as a change of the mapping does. */
async function holdRemap(teamId: number, source: string) {
  const lock = "SELECT id FROM user_group WHERE id = $1 FOR UPDATE";
  const remap = `UPDATE mapping_entry SET data_source_id = data_source.id FROM data_source, locked
    WHERE user_group_id = locked.id AND data_source.account_id = mapping_entry.account_id
      AND data_source.environment = mapping_entry.environment AND provided_id = '${source}'`;
  return holdTransaction(rest().service, `WITH locked AS MATERIALIZED (${lock}) ${remap}`, [teamId]);
}

test("a DELETE that waited for a change of the mapping compares data_source_provided_id with the new mapping", async (context) => {
  skipOnCitus(context, "locks");
  const { call } = rest();
  const group = await create("remapped");
  const held = await holdRemap(group.team_id, "support");
  const old = call("DELETE", { current_token: group.token, data_source_provided_id: "sales" });
  await held.untilAwaited();
  await held.commit();
  expectError(await old, 409, {
    code: "user_group_mismatch",
    message: "The request does not match the identified user group. Nothing was deleted.",
    field: "data_source_provided_id",
  });
  expect((await call("PUT", { user_group_id: "remapped" })).status).toBe(200);
});

test("and deletes the group if the new mapping matches", async (context) => {
  skipOnCitus(context, "locks");
  const { call } = rest();
  const group = await create("matched");
  const held = await holdRemap(group.team_id, "support");
  const now = call("DELETE", { current_token: group.token, data_source_provided_id: "support" });
  await held.untilAwaited();
  await held.commit();
  expect((await now).body).toEqual({ success: 1 });
});
