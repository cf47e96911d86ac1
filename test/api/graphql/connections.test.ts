import { beforeAll, describe, expect, test } from "vitest";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";

const graphql = await startGraphql({ speed: { batchStatements: true, keyCacheMs: 0 } });
const { call, run, service } = graphql;

const LIST = `query ($first: Int, $after: String, $last: Int, $before: String, $filter: UserGroupFilter, $orderBy: UserGroupOrder) {
  userGroups(first: $first, after: $after, last: $last, before: $before, filter: $filter, orderBy: $orderBy) {
    edges { cursor node { providedId } }
    nodes { providedId }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    totalCount
  }
}`;
const COUNT = 23;
const CURSOR = "must be a cursor from a list with the same sort order";

beforeAll(async () => {
  for (let index = 0; index < COUNT; index += 1) {
    await createUserGroup(graphql, `group-${String(index).padStart(2, "0")}`, {
      // Names repeat, so that IDs have to break ties.
      name: ["Ärger", "apple", "Zoo 100%", "zoo_a"][index % 4],
      properties: { tier: index % 2 ? "gold" : "free", nested: { index } },
      mapping: [[entry("a", "sales"), entry("b", "support")], [entry("b", "sales")], []][index % 3],
    });
  }
});

async function list(variables: object): Promise<Data> {
  return (await run(LIST, { ...variables })).userGroups;
}

function idsOf({ nodes }: Data): string[] {
  return nodes.map(({ providedId }: { providedId: string }) => providedId);
}

async function pageThrough(orderBy: object, size: number, way: "forward" | "backward"): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | null = null;
  for (;;) {
    const page: Data = await list(
      way === "forward" ? { first: size, after: cursor, orderBy } : { last: size, before: cursor, orderBy },
    );
    expect(page.totalCount).toBe(COUNT);
    expect(page.edges.map(({ node }: Data) => node)).toEqual(page.nodes);
    expect(page.pageInfo.startCursor).toBe(page.edges[0].cursor);
    expect(page.pageInfo.endCursor).toBe(page.edges.at(-1).cursor);
    const ids = idsOf(page);
    expect(ids.length).toBeLessThanOrEqual(size);
    found.splice(way === "forward" ? found.length : 0, 0, ...ids);
    expect(way === "forward" ? page.pageInfo.hasPreviousPage : page.pageInfo.hasNextPage).toBe(
      cursor !== null,
    );
    if (!(way === "forward" ? page.pageInfo.hasNextPage : page.pageInfo.hasPreviousPage)) return found;
    cursor = way === "forward" ? page.pageInfo.endCursor : page.pageInfo.startCursor;
  }
}

test("pages requested together share statements and equal those requested alone", async () => {
  const sorts = ["TEAM_ID", "PROVIDED_ID", "NAME", "CREATED_AT", "UPDATED_AT"];
  const requests: object[] = [];
  for (const field of sorts) {
    for (const direction of ["ASC", "DESC"]) {
      const orderBy = { field, direction };
      const { edges } = await list({ first: COUNT, orderBy });
      const [early, late] = [edges[4].cursor, edges[18].cursor];
      requests.push(
        { first: 3, orderBy },
        { first: 7, orderBy },
        { last: 5, orderBy },
        { first: 4, after: early, orderBy },
        { first: 0, after: late, orderBy },
        { last: 6, before: late, orderBy },
        { first: 50, after: early, before: late, orderBy },
        { last: 2, after: early, before: late, orderBy },
        { first: 3, orderBy, filter: { providedIds: ["group-03"] } },
      );
    }
  }
  const alone: Data[] = [];
  for (const request of requests) alone.push(await list(request));
  expect(await Promise.all([...requests, ...requests].map(list))).toEqual([...alone, ...alone]);
  const { statements } = service;
  statements.length = 0;
  await Promise.all(Array.from({ length: 60 }, (_, index) => list({ first: 1 + (index % 20) })));
  expect(statements.filter((text) => text.includes("AS page")).length).toBeLessThan(40);
});

describe("paging", () => {
  test.each(["TEAM_ID", "PROVIDED_ID", "NAME", "CREATED_AT", "UPDATED_AT"])(
    "works by %s in both directions",
    async (field) => {
      const whole = idsOf(await list({ first: 100, orderBy: { field } }));
      expect(whole).toHaveLength(COUNT);
      const reversed = idsOf(await list({ first: 100, orderBy: { field, direction: "DESC" } }));
      expect(reversed).toEqual(whole.toReversed());
      // Pages of one item are worth the extra requests only where rows differ by ID alone.
      for (const size of [...(field === "NAME" ? [1] : []), 4, COUNT, COUNT + 1]) {
        for (const way of ["forward", "backward"] as const) {
          expect(await pageThrough({ field }, size, way)).toEqual(whole);
          expect(await pageThrough({ field, direction: "DESC" }, size, way)).toEqual(reversed);
        }
      }
    },
  );

  test("sorts names by code point", async () => {
    const { userGroups } = await run(
      "{ userGroups(first: 100, orderBy: { field: NAME }) { nodes { name } } }",
    );
    const names = userGroups.nodes.map(({ name }: { name: string }) => name);
    expect([...new Set(names)]).toEqual(["Zoo 100%", "apple", "zoo_a", "Ärger"]);
  });

  test("returns the items between two cursors", async () => {
    const { edges } = await list({ first: 100 });
    const between = { after: edges[4].cursor, before: edges[9].cursor };
    expect(idsOf(await list(between))).toEqual(edges.slice(5, 9).map(({ node }: Data) => node.providedId));
    expect(idsOf(await list({ ...between, last: 2 }))).toEqual(
      edges.slice(7, 9).map(({ node }: Data) => node.providedId),
    );
  });

  test("defaults to 20 items", async () => {
    expect(idsOf(await list({}))).toHaveLength(20);
    expect(await list({ first: 0 })).toMatchObject({
      nodes: [],
      pageInfo: { hasNextPage: true, endCursor: null },
    });
  });

  test.each([
    ["first", "must be between 0 and 250", { first: 251 }],
    ["first", "must be between 0 and 250", { first: -1 }],
    ["last", "must be between 0 and 250", { last: 1000 }],
    ["last", "must not be used together with first", { first: 1, last: 1 }],
    ["after", CURSOR, { after: "nonsense" }],
    ["before", CURSOR, { before: cursor(["name", "x", 1]) }],
    ["after", CURSOR, { after: cursor(["teamId", "1; DROP", 1]) }],
    ["after", CURSOR, { after: cursor(["teamId", 1, 2 ** 53]) }],
    ["after", CURSOR, created({ after: cursor(["createdAt", "x", 1]) })],
    ["after", CURSOR, created({ after: cursor(["createdAt", "0000-01-01T00:00:00.000Z", 1]) })],
  ])("%s %s", async (field, rule, variables) => {
    const { body } = await call(LIST, { ...variables });
    const error = { message: `${field} ${rule}.`, extensions: { code: "INVALID_FIELD", field: [field] } };
    expect(body).toMatchObject({ errors: [error] });
  });
});

describe("filters", () => {
  test.each([
    [["group-03", "group-05"], { providedIds: ["group-05", "none", "group-03"] }],
    [[], { providedIds: [] }],
    [every(2, 4), { nameContains: "o 10" }],
    [every(2, 4), { nameContains: "0%" }],
    [every(3, 4), { nameContains: "o_a" }],
    [every(2, 4), { search: "O 10" }],
    [["group-07"], { search: "OUP-07" }],
    [[], { search: "group_07" }],
    [every(0, 4), { search: "arg" }],
    [every(2, 4).slice(0, 1), { search: " 100%  ÓUP-02 zo " }],
    [[], { search: "arg zoo" }],
    [every(0, 4), { nameStartsWith: "äRG" }],
    [[...every(2, 4), ...every(3, 4)].sort(), { nameStartsWith: "ZOO" }],
    [every(0, 1).filter((id) => id >= "group-2"), { providedIdStartsWith: "group-2" }],
    [["group-07"], { providedIdStartsWith: "group-07" }],
    [[], { providedIdStartsWith: "Group" }],
    [[], { providedIdStartsWith: "group_" }],
    [["group-20"], { providedIdStartsWith: "group-2", properties: { nested: { index: 20 } } }],
    [every(0, 3), { dataSource: { providedId: "support" } }],
    [every(0, 3), { schemaId: "a" }],
    [every(1, 3), { schemaId: "b", dataSource: { providedId: "sales" } }],
    [[...every(0, 3), ...every(1, 3)].sort(), { hasMapping: true }],
    [every(2, 3), { hasMapping: false }],
    [[], { hasMapping: false, schemaId: "b" }],
    [[], { schemaId: "a", dataSource: { providedId: "support" } }],
    [[], { dataSource: { providedId: "none" } }],
    [every(1, 2), { properties: { tier: "gold" } }],
    [["group-07"], { properties: { nested: { index: 7 }, tier: "gold" } }],
    [[], { createdAt: { to: "2020-01-01T00:00:00Z" } }],
    [every(0, 1), { createdAt: { from: "2020-01-01T00:00:00Z" }, updatedAt: { to: "2120-01-01T00:00:00Z" } }],
    [every(0, 1), { nameContains: null, properties: null, dataSource: null, hasMapping: null }],
    [
      ["group-05"],
      { providedIds: ["group-03", "group-05"], nameContains: "P", properties: { tier: "gold" } },
    ],
  ])("%j for %j", async (ids, filter) => {
    const page = await list({ first: 100, filter });
    expect(idsOf(page).toSorted()).toEqual(ids);
    expect(page.totalCount).toBe(ids.length);
  });

  test("reject meaningless values", async () => {
    for (const [field, filter] of [
      [["filter", "properties"], { properties: "text" }],
      [["filter", "dataSource", "providedId"], { dataSource: { providedId: "" } }],
      [["filter", "createdAt", "from"], { createdAt: { from: "0000-01-01T00:00:00Z" } }],
      [["filter", "providedIds"], { providedIds: [""] }],
    ]) {
      const { body } = await call(LIST, { filter });
      expect(body).toMatchObject({ errors: [{ extensions: { code: "INVALID_FIELD", field } }] });
    }
  });
});

function every(start: number, step: number): string[] {
  const indexes = Array.from({ length: COUNT }, (_, index) => index).filter(
    (index) => index % step === start % step,
  );
  return indexes.map((index) => `group-${String(index).padStart(2, "0")}`);
}

function cursor(parts: unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString("base64url");
}

function created(variables: object): object {
  return { ...variables, orderBy: { field: "CREATED_AT" } };
}
