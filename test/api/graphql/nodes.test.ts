import { describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";

const graphql = await startGraphql({ speed: { keyCacheMs: 0 } });
const { call, mutate, run, service, strangerKey } = graphql;

describe("node and nodes", () => {
  const NODES = `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id ... on UserGroup { name } ... on DataSource { name } } }`;

  test("find objects of every type, in order, with one statement per type", async () => {
    const { id: group } = await createUserGroup(graphql, "node");
    const { id: other } = await createUserGroup(graphql, "other node");
    const { dataSource } = await run(`{ dataSource(by: { providedId: "sales" }) { id } }`);
    service.statements.length = 0;
    const { nodes } = await run(NODES, { ids: [group, dataSource.id, "nonsense", other, group] });
    expect(nodes).toEqual([
      { __typename: "UserGroup", id: group, name: "node" },
      { __typename: "DataSource", id: dataSource.id, name: "Sales database" },
      null,
      { __typename: "UserGroup", id: other, name: "other node" },
      { __typename: "UserGroup", id: group, name: "node" },
    ]);
    expect(service.statements).toHaveLength(3);
    expect((await run(NODES, { ids: [group, dataSource.id] }, strangerKey)).nodes).toEqual([null, null]);
    expect(await run(`{ node(id: "${group}") { id } }`)).toEqual({ node: { id: group } });
    expect(await run(`{ node(id: "nonsense") { id } }`)).toEqual({ node: null });
  });

  test("accept at most 250 IDs", async () => {
    expect((await call(NODES, { ids: Array(251).fill("x") })).body).toMatchObject({
      errors: [{ message: "ids must have at most 250 IDs.", extensions: { code: "INVALID_FIELD" } }],
    });
  });
});

describe("data sources and their groups", () => {
  const LIST = `query ($first: Int, $after: String, $last: Int, $before: String) {
    dataSources(orderBy: { field: PROVIDED_ID }) {
      totalCount
      nodes {
        providedId
        userGroups(first: $first, after: $after, last: $last, before: $before) {
          totalCount
          edges { cursor node { providedId mapping { schemaId } } }
          pageInfo { hasNextPage hasPreviousPage }
        }
      }
    }
  }`;

  test("returns a page for each, with as many statements for many as for one", async () => {
    for (const index of [1, 2, 3, 4]) {
      await createUserGroup(graphql, `mapped ${index}`, {
        // Twice to the same data source: still one group.
        mapping: [entry("a", "sales"), entry("b", "sales"), ...(index % 2 ? [entry("c", "support")] : [])],
      });
    }
    for (let index = 0; index < 10; index += 1)
      await mutate("createDataSource", { providedId: `unused ${index}`, name: "U" });
    service.statements.length = 0;
    const { dataSources } = await run(LIST, { first: 3 });
    // The key, the data sources and their count, the groups and theirs, the mappings.
    expect(service.statements).toHaveLength(6);
    expect(dataSources.totalCount).toBe(12);
    const [sales, support, unused] = dataSources.nodes;
    expect(sales.userGroups).toMatchObject({
      totalCount: 4,
      edges: [1, 2, 3].map((index) => ({ node: { providedId: `mapped ${index}` } })),
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
    expect(support.userGroups).toMatchObject({
      totalCount: 2,
      edges: [1, 3].map((index) => ({ node: { providedId: `mapped ${index}`, mapping: [{}, {}, {}] } })),
      pageInfo: { hasNextPage: false },
    });
    expect(unused.userGroups).toMatchObject({ totalCount: 0, edges: [] });
    const after = sales.userGroups.edges[1].cursor;
    const rest = (await run(LIST, { first: 3, after })).dataSources.nodes[0].userGroups;
    expect(rest).toMatchObject({
      edges: [{ node: { providedId: "mapped 3" } }, { node: { providedId: "mapped 4" } }],
      pageInfo: { hasNextPage: false, hasPreviousPage: true },
    });
    const back = (await run(LIST, { last: 1, before: after })).dataSources.nodes[0].userGroups;
    expect(back).toMatchObject({
      edges: [{ node: { providedId: "mapped 1" } }],
      pageInfo: { hasNextPage: true, hasPreviousPage: false },
    });
  });
});
