import { expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { entry } from "../../support/graphql/user-group-operations.js";
import { expectDerivedColumns } from "../../support/postgres/derived-columns.js";

const { account, mutate, run, service } = await startGraphql();

await mutate("createDataSource", { providedId: "source", name: "Source" });
const mapping = [entry("s", "source")];

const ORDERS = ["TEAM_ID", "PROVIDED_ID", "NAME", "CREATED_AT", "UPDATED_AT"];

/** Expects the filter to find these groups in every order, and counts to agree. */
async function expectMapped(expected: Readonly<Record<string, boolean>>): Promise<void> {
  const query = `query ($filter: UserGroupFilter, $order: UserGroupOrder) {
    userGroups(filter: $filter, orderBy: $order) { totalCount nodes { providedId } } }`;
  for (const field of ORDERS) {
    for (const direction of ["ASC", "DESC"]) {
      for (const hasMapping of [true, false]) {
        const { userGroups } = await run(query, { filter: { hasMapping }, order: { field, direction } });
        const ids = userGroups.nodes.map(({ providedId }: { providedId: string }) => providedId).sort();
        const wanted = Object.keys(expected).filter((id) => expected[id] === hasMapping);
        expect({ field, direction, hasMapping, ids }).toEqual({
          field,
          direction,
          hasMapping,
          ids: wanted.sort(),
        });
        expect(userGroups.totalCount).toBe(wanted.length);
      }
    }
  }
}

/** Changes a mapping like a process of a release without `mapped_version`. */
async function changeMapping(providedId: string, change: string): Promise<void> {
  await service.query(change);
  await service.query(
    "UPDATE user_group SET mapping_version = mapping_version + 1, version = version + 1 WHERE provided_id = $1",
    [providedId],
  );
}

const INSERT = (
  providedId: string,
) => `INSERT INTO mapping_entry (account_id, environment, user_group_id, schema_id, data_source_id)
  SELECT account_id, environment, id, 's', (SELECT min(id) FROM data_source) FROM user_group WHERE provided_id = '${providedId}'`;
const DELETE = (providedId: string) =>
  `DELETE FROM mapping_entry WHERE user_group_id = (SELECT id FROM user_group WHERE provided_id = '${providedId}')`;

test("hasMapping follows every change of a mapping, also by a release without the column that it uses", async () => {
  await mutate("createUserGroup", { providedId: "a", name: "A", mapping });
  await mutate("createUserGroup", { providedId: "b", name: "B" });
  await mutate("upsertUserGroups", {
    userGroups: [
      { providedId: "c", name: "C", mapping },
      { providedId: "d", name: "D", mapping: [] },
    ],
  });
  await expectDerivedColumns(service);
  await expectMapped({ a: true, b: false, c: true, d: false });

  await mutate("replaceUserGroupMapping", { by: { providedId: "a" }, mapping: [] });
  await mutate("setUserGroupMapping", { by: { providedId: "b" }, schemaId: "s", dataSource: "source" });
  await mutate("updateUserGroup", { by: { providedId: "c" }, name: "Other" });
  await expectDerivedColumns(service);
  await expectMapped({ a: false, b: true, c: true, d: false });

  await changeMapping("a", INSERT("a"));
  await changeMapping("b", DELETE("b"));
  await service.query(
    `INSERT INTO user_group (account_id, environment, id, provided_id, name, token_key_id, token_ciphertext, token_lookup)
     SELECT $1, 'Customer', nextval('user_group_team_id'), id, id, 'none', '', sha256(convert_to(id, 'UTF8')) FROM unnest(ARRAY['e', 'f']) AS id`,
    [account.accountId],
  );
  await service.query(INSERT("e"));
  await expectMapped({ a: true, b: false, c: true, d: false, e: true, f: false });

  for (const providedId of ["a", "b", "e", "f"]) {
    await mutate("updateUserGroup", { by: { providedId }, name: `Renamed ${providedId}` });
  }
  await expectMapped({ a: true, b: false, c: true, d: false, e: true, f: false });
  await mutate("replaceUserGroupMapping", { by: { providedId: "e" }, mapping: [] });
  await mutate("replaceUserGroupMapping", { by: { providedId: "f" }, mapping });
  await expectMapped({ a: true, b: false, c: true, d: false, e: false, f: true });
});
