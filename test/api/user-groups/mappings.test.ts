import { describe, expect, test } from "vitest";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";

const graphql = useGraphql();

const PAYLOAD = `{
  userGroup { version mapping { schemaId dataSource { providedId } } }
  userErrors { code message field }
}`;
const SET = `mutation ($input: SetUserGroupMappingInput!) { setUserGroupMapping(input: $input) ${PAYLOAD} }`;
const REMOVE = `mutation ($input: RemoveUserGroupMappingInput!) { removeUserGroupMapping(input: $input) ${PAYLOAD} }`;
const REPLACE = `mutation ($input: ReplaceUserGroupMappingInput!) { replaceUserGroupMapping(input: $input) ${PAYLOAD} }`;
const SOURCE = `{ id dataSourceId providedId name createdAt }`;
const SOURCE_PAYLOAD = `{ dataSource ${SOURCE} userErrors { code message field } }`;
const CREATE = `mutation ($input: CreateDataSourceInput!) { createDataSource(input: $input) ${SOURCE_PAYLOAD} }`;
const UPDATE = `mutation ($input: UpdateDataSourceInput!) { updateDataSource(input: $input) ${SOURCE_PAYLOAD} }`;
const DELETE = `mutation ($input: DeleteDataSourceInput!) {
  deleteDataSource(input: $input) { deletedDataSourceId userErrors { code message field } }
}`;
const READ = `query ($by: DataSourceBy!) { dataSource(by: $by) ${SOURCE} }`;

async function createGroup(providedId: string, key?: string): Promise<void> {
  const input = { providedId, name: providedId };
  await graphql().run(
    "mutation ($input: CreateUserGroupInput!) { createUserGroup(input: $input) { userGroup { id } } }",
    { input },
    key,
  );
}

function entries(mapping: Readonly<Record<string, string>>) {
  return Object.entries(mapping).map(([schemaId, providedId]) => ({ schemaId, dataSource: { providedId } }));
}

describe("mappings", () => {
  test("set, set again, remove, remove a missing entry", async () => {
    const { run } = graphql();
    await createGroup("mapped");
    const by = { providedId: "mapped" };
    const set = (schemaId: string, dataSource: string) => run(SET, { input: { by, schemaId, dataSource } });
    const remove = (schemaId: string) => run(REMOVE, { input: { by, schemaId } });
    expect(await set("a", "sales")).toMatchObject({
      setUserGroupMapping: { userGroup: { version: 2, mapping: entries({ a: "sales" }) }, userErrors: [] },
    });
    expect(await set("a", "support")).toMatchObject({
      setUserGroupMapping: { userGroup: { version: 3, mapping: entries({ a: "support" }) } },
    });
    expect(await set("b", "sales")).toMatchObject({
      setUserGroupMapping: { userGroup: { mapping: entries({ a: "support", b: "sales" }) } },
    });
    expect(await remove("a")).toMatchObject({
      removeUserGroupMapping: { userGroup: { version: 5, mapping: entries({ b: "sales" }) }, userErrors: [] },
    });
    expect(await remove("a")).toMatchObject({
      removeUserGroupMapping: { userGroup: { version: 5 }, userErrors: [] },
    });
  });

  test("replace the whole mapping", async () => {
    const { run } = graphql();
    await createGroup("replaced");
    const replace = (mapping: object[]) =>
      run(REPLACE, { input: { by: { providedId: "replaced" }, mapping } });
    const both = [
      { schemaId: "b", dataSource: "sales" },
      { schemaId: "a", dataSource: "support" },
    ];
    expect(await replace(both)).toMatchObject({
      replaceUserGroupMapping: { userGroup: { mapping: entries({ a: "support", b: "sales" }) } },
    });
    expect(await replace([{ schemaId: "b", dataSource: "support" }])).toMatchObject({
      replaceUserGroupMapping: { userGroup: { mapping: entries({ b: "support" }) } },
    });
    expect(await replace([{ schemaId: "c", dataSource: "nowhere" }])).toMatchObject({
      replaceUserGroupMapping: {
        userGroup: null,
        userErrors: [{ code: "UNKNOWN_DATA_SOURCE", field: ["mapping", "0", "dataSource"] }],
      },
    });
    expect(await replace([])).toMatchObject({ replaceUserGroupMapping: { userGroup: { mapping: [] } } });
  });

  test("later mutations of one operation read what earlier ones wrote", async () => {
    const { run } = graphql();
    await createGroup("serial");
    const result = await run(`mutation {
      one: setUserGroupMapping(input: { by: { providedId: "serial" }, schemaId: "a", dataSource: "sales" }) ${PAYLOAD}
      two: setUserGroupMapping(input: { by: { providedId: "serial" }, schemaId: "b", dataSource: "sales" }) ${PAYLOAD}
    }`);
    expect(result.one.userGroup.mapping).toEqual(entries({ a: "sales" }));
    expect(result.two.userGroup.mapping).toEqual(entries({ a: "sales", b: "sales" }));
  });

  test("entries set concurrently are all stored, up to the limit", async () => {
    const { run } = graphql();
    await createGroup("full");
    const by = { providedId: "full" };
    const mapping = Array.from({ length: 995 }, (_, index) => ({
      schemaId: `s${index}`,
      dataSource: "sales",
    }));
    await run(REPLACE, { input: { by, mapping } });
    const set = (index: number) => run(SET, { input: { by, schemaId: `t${index}`, dataSource: "sales" } });
    const replies = await Promise.all(Array.from({ length: 10 }, (_, index) => set(index)));
    expect(replies.filter(({ setUserGroupMapping }) => setUserGroupMapping.userGroup)).toHaveLength(5);
    expect(
      replies.find(({ setUserGroupMapping }) => !setUserGroupMapping.userGroup).setUserGroupMapping
        .userErrors,
    ).toEqual([
      { code: "INVALID_FIELD", message: "mapping must have at most 1000 entries.", field: ["mapping"] },
    ]);
  });

  test.each([
    ["USER_GROUP_NOT_FOUND", null, { by: { providedId: "none" }, schemaId: "a", dataSource: "sales" }],
    ["INVALID_FIELD", ["schemaId"], { by: { providedId: "x" }, schemaId: "", dataSource: "sales" }],
  ])("%s", async (code, field, input) => {
    const { setUserGroupMapping } = await graphql().run(SET, { input });
    expect(setUserGroupMapping).toMatchObject({ userGroup: null, userErrors: [{ code, field }] });
  });
});

describe("data sources", () => {
  test("create, read by each ID, change, delete", async () => {
    const { run, strangerKey, keys } = graphql();
    const { createDataSource } = await run(CREATE, { input: { providedId: "lake", name: "Lake" } });
    expect(createDataSource.userErrors).toEqual([]);
    const source = createDataSource.dataSource;
    expect(source).toMatchObject({ providedId: "lake", name: "Lake", dataSourceId: expect.any(Number) });
    for (const by of [{ id: source.id }, { dataSourceId: source.dataSourceId }, { providedId: "lake" }]) {
      expect((await run(READ, { by })).dataSource).toEqual(source);
      expect((await run(READ, { by }, keys.testing)).dataSource).toBeNull();
      expect((await run(READ, { by }, strangerKey)).dataSource).toBeNull();
    }
    const update = async (changes: object) =>
      (await run(UPDATE, { input: { by: { id: source.id }, ...changes } })).updateDataSource;
    expect((await update({})).dataSource).toEqual(source);
    expect((await update({ name: "Big lake" })).dataSource).toEqual({ ...source, name: "Big lake" });
    expect((await update({ providedId: "sales" })).userErrors).toMatchObject([
      { code: "DATA_SOURCE_EXISTS", field: ["providedId"] },
    ]);
    expect((await update({ name: null })).userErrors).toMatchObject([
      { code: "INVALID_FIELD", field: ["name"] },
    ]);
    const remove = async () => (await run(DELETE, { input: { by: { id: source.id } } })).deleteDataSource;
    expect(await remove()).toEqual({ deletedDataSourceId: source.id, userErrors: [] });
    expect(await remove()).toMatchObject({
      deletedDataSourceId: null,
      userErrors: [{ code: "DATA_SOURCE_NOT_FOUND" }],
    });
  });

  test("a duplicate ID is rejected", async () => {
    const { createDataSource } = await graphql().run(CREATE, {
      input: { providedId: "sales", name: "Again" },
    });
    expect(createDataSource).toEqual({
      dataSource: null,
      userErrors: [
        {
          code: "DATA_SOURCE_EXISTS",
          message: "A data source with this ID already exists.",
          field: ["providedId"],
        },
      ],
    });
  });

  test("a data source used by a mapping cannot be deleted", async () => {
    const { run } = graphql();
    await run(CREATE, { input: { providedId: "used", name: "Used" } });
    await createGroup("user");
    const by = { providedId: "user" };
    await run(SET, { input: { by, schemaId: "a", dataSource: "used" } });
    const remove = async () =>
      (await run(DELETE, { input: { by: { providedId: "used" } } })).deleteDataSource;
    expect(await remove()).toMatchObject({
      deletedDataSourceId: null,
      userErrors: [{ code: "DATA_SOURCE_IN_USE" }],
    });
    await run(REMOVE, { input: { by, schemaId: "a" } });
    expect((await remove()).userErrors).toEqual([]);
  });

  test("a Testing key can use the same ID, and cannot read, rename, delete or map Customer's data source", async () => {
    const { run, keys, service, account } = graphql();
    const created = await run(CREATE, { input: { providedId: "prod", name: "Production" } });
    const { id, dataSourceId } = created.createDataSource.dataSource;
    await createGroup("mapped");
    await run(SET, { input: { by: { providedId: "mapped" }, schemaId: "a", dataSource: "prod" } });
    await createGroup("tester", keys.testing);
    const state = () =>
      service.query("SELECT * FROM data_source WHERE account_id = $1 AND environment = 'Customer'", [
        account.accountId,
      ]);
    const before = await state();
    for (const by of [{ id }, { dataSourceId }, { providedId: "prod" }]) {
      const update = await run(UPDATE, { input: { by, name: "Hijacked", providedId: "x" } }, keys.testing);
      expect(update.updateDataSource.userErrors).toMatchObject([{ code: "DATA_SOURCE_NOT_FOUND" }]);
      const remove = await run(DELETE, { input: { by } }, keys.testing);
      expect(remove.deleteDataSource.userErrors).toMatchObject([{ code: "DATA_SOURCE_NOT_FOUND" }]);
    }
    for (const dataSource of ["prod", String(dataSourceId)]) {
      const set = await run(
        SET,
        { input: { by: { providedId: "tester" }, schemaId: "a", dataSource } },
        keys.testing,
      );
      expect(set.setUserGroupMapping.userErrors).toMatchObject([{ code: "UNKNOWN_DATA_SOURCE" }]);
    }
    const same = await run(CREATE, { input: { providedId: "prod", name: "Evil" } }, keys.testing);
    expect(same.createDataSource.userErrors).toEqual([]);
    expect(await state()).toEqual(before);
    const audited = `SELECT environment, action FROM audit_entry WHERE subject_name = 'prod' ORDER BY id`;
    expect(await service.query(audited)).toEqual([
      { environment: "Customer", action: "data_source.created" },
      { environment: "Testing", action: "data_source.created" },
    ]);
  });

  test("a deletion concurrent with a mapping leaves no mapping without its data source", async () => {
    const { run } = graphql();
    await createGroup("race");
    for (let round = 0; round < 20; round += 1) {
      const providedId = `short-lived ${round}`;
      await run(CREATE, { input: { providedId, name: "Short-lived" } });
      const [set, remove] = await Promise.all([
        run(SET, { input: { by: { providedId: "race" }, schemaId: `s${round}`, dataSource: providedId } }),
        run(DELETE, { input: { by: { providedId } } }),
      ]);
      const mapped = set.setUserGroupMapping.userErrors.length === 0;
      const deleted = remove.deleteDataSource.userErrors.length === 0;
      expect([mapped, deleted].filter(Boolean)).toHaveLength(1);
    }
  });
});
