import { afterAll, describe, expect, test } from "vitest";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";
import { expectDerivedColumns } from "../../support/postgres/derived-columns.js";

const graphql = await startGraphql();
afterAll(() => expectDerivedColumns(graphql.service));
const { keys, mutate, run, service, strangerKey } = graphql;
const GROUP = "userGroup { version mapping { schemaId dataSource { providedId } } }";
const SOURCE = "{ id dataSourceId providedId name createdAt }";

type Change = (input: object, key?: string) => Promise<Data>;
const changing =
  (name: string, selection: string): Change =>
  (input, key) =>
    mutate(name, input, selection, key);
const set = changing("setUserGroupMapping", GROUP);
const unset = changing("removeUserGroupMapping", GROUP);
const replace = changing("replaceUserGroupMapping", GROUP);
const create = changing("createDataSource", `dataSource ${SOURCE}`);
const update = changing("updateDataSource", `dataSource ${SOURCE}`);
const remove = changing("deleteDataSource", "deletedDataSourceId");

/** The payload of a change of a group with this mapping. */
const mapped = (version: number, mapping: Readonly<Record<string, string>>) => ({
  userGroup: {
    version,
    mapping: Object.entries(mapping).map(([schemaId, providedId]) => ({
      schemaId,
      dataSource: { providedId },
    })),
  },
  userErrors: [],
});
const errors = (code: string, field: readonly string[] | null) => ({ userErrors: [{ code, field }] });

describe("mappings", () => {
  test("set, set again, remove, remove a missing entry", async () => {
    const by = { providedId: "mapped" };
    await createUserGroup(graphql, "mapped");
    expect(await set({ by, ...entry("a", "sales") })).toEqual(mapped(2, { a: "sales" }));
    expect(await set({ by, ...entry("a", "support") })).toEqual(mapped(3, { a: "support" }));
    expect(await set({ by, ...entry("b", "sales") })).toEqual(mapped(4, { a: "support", b: "sales" }));
    for (const _ of ["first", "second"])
      expect(await unset({ by, schemaId: "a" })).toEqual(mapped(5, { b: "sales" }));
  });

  test("replace the whole mapping", async () => {
    const by = { providedId: "replaced" };
    await createUserGroup(graphql, "replaced");
    const both = [entry("b", "sales"), entry("a", "support")];
    expect(await replace({ by, mapping: both })).toEqual(mapped(2, { a: "support", b: "sales" }));
    expect(await replace({ by, mapping: [entry("b", "support")] })).toEqual(mapped(3, { b: "support" }));
    expect(await replace({ by, mapping: [entry("c", "nowhere")] })).toMatchObject({
      userGroup: null,
      ...errors("UNKNOWN_DATA_SOURCE", ["mapping", "0", "dataSource"]),
    });
    expect(await replace({ by, mapping: [] })).toEqual(mapped(4, {}));
  });

  test("later mutations of one operation read what earlier ones wrote", async () => {
    await createUserGroup(graphql, "serial");
    const input = (schemaId: string) =>
      `{ by: { providedId: "serial" }, schemaId: "${schemaId}", dataSource: "sales" }`;
    const result = await run(`mutation {
      one: setUserGroupMapping(input: ${input("a")}) { ${GROUP} userErrors { code } }
      two: setUserGroupMapping(input: ${input("b")}) { ${GROUP} userErrors { code } }
    }`);
    expect(result).toEqual({ one: mapped(2, { a: "sales" }), two: mapped(3, { a: "sales", b: "sales" }) });
  });

  test("entries set concurrently are all stored, up to the limit", async () => {
    const by = { providedId: "full" };
    const mapping = Array.from({ length: 995 }, (_, index) => entry(`s${index}`, "sales"));
    await createUserGroup(graphql, "full", { mapping });
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) => set({ by, ...entry(`t${index}`, "sales") })),
    );
    const message = "mapping must have at most 1000 entries.";
    const refused = { userGroup: null, userErrors: [{ code: "INVALID_FIELD", message, field: ["mapping"] }] };
    expect(replies.filter(({ userGroup }) => userGroup === null)).toEqual(Array(5).fill(refused));
  });
});

describe("data sources", () => {
  test("create, read by each ID, change, delete", async () => {
    const { dataSource: source, userErrors } = await create({ providedId: "lake", name: "Lake" });
    expect([source, userErrors]).toMatchObject([{ providedId: "lake", name: "Lake" }, []]);
    const query = `query ($by: DataSourceBy!) { dataSource(by: $by) ${SOURCE} }`;
    for (const by of [{ id: source.id }, { dataSourceId: source.dataSourceId }, { providedId: "lake" }]) {
      expect(await run(query, { by })).toEqual({ dataSource: source });
      for (const key of [keys.testing, strangerKey])
        expect(await run(query, { by }, key)).toEqual({ dataSource: null });
    }
    const by = { id: source.id };
    expect((await update({ by })).dataSource).toEqual(source);
    expect((await update({ by, name: "Big lake" })).dataSource).toEqual({ ...source, name: "Big lake" });
    expect(await update({ by, name: null })).toMatchObject(errors("INVALID_FIELD", ["name"]));
    const exists = {
      dataSource: null,
      userErrors: [
        {
          code: "DATA_SOURCE_EXISTS",
          message: "A data source with this ID already exists.",
          field: ["providedId"],
        },
      ],
    };
    expect(await update({ by, providedId: "sales" })).toEqual(exists);
    expect(await create({ providedId: "sales", name: "Again" })).toEqual(exists);
    expect(await remove({ by })).toEqual({ deletedDataSourceId: source.id, userErrors: [] });
    expect(await remove({ by })).toMatchObject({
      deletedDataSourceId: null,
      ...errors("DATA_SOURCE_NOT_FOUND", null),
    });
  });

  test("used by a mapping cannot be deleted", async () => {
    const by = { providedId: "user" };
    const used = { by: { providedId: "used" } };
    await create({ providedId: "used", name: "Used" });
    await createUserGroup(graphql, "user", { mapping: [entry("a", "used")] });
    expect(await remove(used)).toMatchObject({
      deletedDataSourceId: null,
      ...errors("DATA_SOURCE_IN_USE", null),
    });
    await unset({ by, schemaId: "a" });
    expect((await remove(used)).userErrors).toEqual([]);
  });

  test("of the other environment can have the same ID, and each has its own audit entry", async () => {
    for (const key of [keys.admin, keys.testing])
      expect((await create({ providedId: "prod", name: "Production" }, key)).userErrors).toEqual([]);
    const audited = "SELECT environment, action FROM audit_entry WHERE subject_name = 'prod' ORDER BY id";
    expect(await service.query(audited)).toEqual([
      { environment: "Customer", action: "data_source.created" },
      { environment: "Testing", action: "data_source.created" },
    ]);
  });

  test("lists and counts a group once that maps several schemas to it, also of a page of data sources", async () => {
    const counted = await create({ providedId: "counted", name: "Counted" });
    await createUserGroup(graphql, "twice", { mapping: [entry("a", "counted"), entry("b", "counted")] });
    await createUserGroup(graphql, "once", { mapping: [entry("a", "counted"), entry("b", "sales")] });
    const groups = "userGroups { totalCount nodes { providedId } }";
    const expected = { totalCount: 2, nodes: [{ providedId: "twice" }, { providedId: "once" }] };
    const { node, dataSources } = await run(
      `query ($id: ID!) { node(id: $id) { ... on DataSource { ${groups} } } dataSources(first: 100) { nodes { providedId ${groups} } } }`,
      { id: counted.dataSource.id },
    );
    expect(node).toEqual({ userGroups: expected });
    expect(dataSources.nodes).toContainEqual({ providedId: "counted", userGroups: expected });
  });

  test("a deletion concurrent with a mapping leaves no mapping without its data source", async () => {
    const by = { providedId: "race" };
    await createUserGroup(graphql, "race");
    for (let round = 0; round < 20; round += 1) {
      const providedId = `short-lived ${round}`;
      await create({ providedId, name: "Short-lived" });
      const both = await Promise.all([
        set({ by, ...entry(`s${round}`, providedId) }),
        remove({ by: { providedId } }),
      ]);
      expect(both.filter(({ userErrors }) => userErrors.length === 0)).toHaveLength(1);
    }
  });
});
