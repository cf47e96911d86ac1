import { getNamedType, isInputObjectType } from "graphql";
import { beforeAll, describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { schema } from "../../support/graphql/list-cases.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = await startGraphql();
const { run, service } = graphql;
const TIME = "2024-05-06T07:08:09.010Z";
const [BEFORE, AFTER] = ["2024-05-06T07:08:09.009Z", "2024-05-06T07:08:09.011Z"];

/** Every filter by time, with its list and the column that it compares. */
const RANGES: Readonly<Record<string, readonly [list: string, table: string, column: string]>> = {
  "AuditFilter.createdAt": ["auditLog", "audit_entry", "created_at"],
  "SiteConfigFilter.updatedAt": ["siteConfigs", "site_config", "updated_at"],
  "UserGroupFilter.createdAt": ["userGroups", "user_group", "created_at"],
  "UserGroupFilter.updatedAt": ["userGroups", "user_group", "updated_at"],
};

beforeAll(async () => {
  await createUserGroup(graphql, "one");
  await changeSite(graphql, "put", { site: "one", document: goodSite });
  for (const [, table, column] of Object.values(RANGES))
    await service.query(`UPDATE ${table} SET ${column} = $1`, [TIME]);
});

test("every filter by time has a row", () => {
  const filters = Object.values(schema.getTypeMap()).flatMap((type) =>
    isInputObjectType(type)
      ? Object.values(type.getFields())
          .filter((field) => getNamedType(field.type).name === "DateTimeRange")
          .map((field) => `${type.name}.${field.name}`)
      : [],
  );
  expect(Object.keys(RANGES).toSorted()).toEqual(filters.toSorted());
});

describe.each(Object.entries(RANGES))("%s", (name, [list]) => {
  test.each([
    ["from that time", { from: TIME }, true],
    ["from just after it", { from: AFTER }, false],
    ["to that time", { to: TIME }, false],
    ["to just after it", { to: AFTER }, true],
    ["from and to that time", { from: TIME, to: TIME }, false],
    ["from that time to just after it", { from: TIME, to: AFTER }, true],
    ["from just before it to that time", { from: BEFORE, to: TIME }, false],
    ["to null", { from: TIME, to: null }, true],
  ])("%s", async (_, range, isFound) => {
    const [type, field = ""] = name.split(".");
    const query = `query ($filter: ${type}) { ${list}(filter: $filter) { totalCount nodes { __typename } } }`;
    const { totalCount, nodes } = (await run(query, { filter: { [field]: range } }))[list];
    expect([totalCount > 0, nodes.length > 0]).toEqual([isFound, isFound]);
  });
});
