import { describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";

describe.each([true, false])("with batchStatements %s", async (batchStatements) => {
  const { run, send, service } = await startGraphql({
    speed: { batchStatements, keyCacheMs: 0 },
  });

  const FIELDS = "{ name token mapping { schemaId dataSource { name } } }";

  async function createGroups(count: number): Promise<{ id: string; token: string; providedId: string }[]> {
    const groups = [];
    for (let index = 0; index < count; index += 1) {
      const { createUserGroup } = await run(`mutation {
      createUserGroup(input: { providedId: "group ${index}", name: "Group ${index}", mapping: [
        { schemaId: "a", dataSource: "${index % 2 ? "sales" : "support"}" }, { schemaId: "b", dataSource: "sales" }
      ] }) { userGroup { id token providedId } }
    }`);
      groups.push(createUserGroup.userGroup);
    }
    return groups;
  }

  test("a query takes as many statements for 50 groups as for one, however they are identified", async () => {
    const groups = await createGroups(50);
    for (const name of ["id", "providedId", "token"] as const) {
      const read = async (count: number) => {
        const fields = groups
          .slice(0, count)
          .map((group, index) => `g${index}: userGroup(by: { ${name}: "${group[name]}" }) ${FIELDS}`);
        service.statements.length = 0;
        const data = await run(`{ ${fields.join("\n")} }`);
        expect(Object.values(data)).toEqual(
          groups.slice(0, count).map(({ token }, index) => ({
            name: `Group ${index}`,
            token,
            mapping: [
              { schemaId: "a", dataSource: { name: index % 2 ? "Sales database" : "Support database" } },
              { schemaId: "b", dataSource: { name: "Sales database" } },
            ],
          })),
        );
        return service.statements.length;
      };
      // The key, the groups, their mappings with the data sources.
      expect(await read(1)).toBe(3);
      expect(await read(50)).toBe(3);
    }
  });

  test("data sources by ID or external ID take one statement each", async () => {
    service.statements.length = 0;
    const fields = Array.from(
      { length: 20 },
      (_, index) => `d${index}: dataSource(by: { providedId: "s${index}" }) { id }`,
    );
    await run(`{ sales: dataSource(by: { providedId: "sales" }) { name } ${fields.join(" ")} }`);
    expect(service.statements).toHaveLength(2);
  });

  test("a list takes as many statements for 50 groups as for one", async () => {
    const read = async (first: number) => {
      service.statements.length = 0;
      const { userGroups } = await run(`{ userGroups(first: ${first}) { nodes ${FIELDS} } }`);
      expect(userGroups.nodes).toHaveLength(first);
      return service.statements.length;
    };
    // The key, the page, the mappings with the data sources.
    expect(await read(1)).toBe(3);
    expect(await read(50)).toBe(3);
  });

  const TIMES = ["token_lookup", "created_at", "updated_at"];
  test.each([
    ["name version", []],
    ["mapping { schemaId dataSource { name } }", []],
    ["text: properties environment", ["properties"]],
    ["... on Node { ... on UserGroup { token } }", TIMES],
    ["properties mapping { dataSource { createdAt } }", [...TIMES, "properties"]],
    ["...times", TIMES],
    ["...times @skip(if: $yes) properties @include(if: $yes)", [...TIMES, "properties"]],
  ])(
    "a list reads the columns that { %s } uses, with the values of single groups",
    async (fields, columns) => {
      await createGroups(2);
      const document = (root: string) =>
        `query ${fields.includes("$yes") ? "($yes: Boolean! = true)" : ""} { ${root} }
      ${fields.includes("...times") ? "fragment times on UserGroup { createdAt updatedAt }" : ""}`;
      const page = `{ nodes { id ${fields} } }`;
      for (const [list, sortColumns] of [
        [`userGroups(first: 2) ${page}`, []],
        [`userGroups(first: 2, filter: { nameStartsWith: "Group" }) ${page}`, []],
        [`userGroups(first: 2, orderBy: { field: UPDATED_AT }) ${page}`, TIMES],
        [`dataSource(by: { providedId: "sales" }) { userGroups(first: 2) ${page} }`, []],
      ] as const) {
        service.statements.length = 0;
        const data = await run(document(list));
        const { nodes } = data.userGroups ?? data.dataSource.userGroups;
        const [, read = ""] = /SELECT (id, [^()]*) FROM/.exec(service.statements.join(" ")) ?? [];
        const optional = [...TIMES, "properties"].filter((column) => read.split(", ").includes(column));
        expect(optional).toEqual(
          [...TIMES, "properties"].filter((column) => [...columns, ...sortColumns].includes(column)),
        );
        const ids = JSON.stringify(nodes.map(({ id }: { id: string }) => id));
        expect(
          (await run(document(`nodes(ids: ${ids}) { id ... on UserGroup { ${fields} } }`))).nodes,
        ).toEqual(nodes);
      }
    },
  );

  test("the mappings in an idempotent mutation's reply are one statement", async () => {
    const userGroups = Array.from({ length: 50 }, (_, index) => ({
      providedId: `group ${index}`,
      name: "New",
    }));
    const query = `mutation ($userGroups: [UpsertUserGroupInput!]!) {
    upsertUserGroups(input: { userGroups: $userGroups }) { results { userGroup ${FIELDS} } }
  }`;
    service.statements.length = 0;
    const body = { query, variables: { userGroups } };
    const reply = await send(body, undefined, { "idempotency-key": "statements" });
    expect(Object(reply.body).data.upsertUserGroups.results[49].userGroup).toMatchObject({
      name: "New",
      mapping: [{}, {}],
    });
    expect(service.statements.filter((text) => /^SELECT.* mapping_entry/s.test(text))).toHaveLength(1);
  });
});
