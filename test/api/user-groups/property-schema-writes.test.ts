import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { SCHEMA_MODES, type SchemaMode } from "../../../src/domain/user-groups/property-schema.js";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { startTransferCommands, toLines } from "../../support/transfer/commands.js";

const graphql = await startGraphql();
const { account, mutate, run, service } = graphql;

const schema = {
  type: "object",
  properties: { region: { type: "string", enum: ["eu", "us"] }, limit: { type: "integer" } },
  required: ["region"],
};
const setMode = async (mode: SchemaMode) =>
  expect(await mutate("setPropertySchema", { schema, mode })).toEqual({ userErrors: [] });

const counter = service.services.telemetry.metrics.invalidProperties;
/** Returns how many groups were written with invalid properties meanwhile. */
async function countInvalid(work: () => Promise<void>): Promise<number> {
  const count = async () => (await counter.get()).values[0]?.value ?? 0;
  const before = await count();
  await work();
  return (await count()) - before;
}

interface Write {
  readonly providedId: string;
  readonly properties: object;
  /** The change that gives the group its current properties, in place of those to write. */
  readonly changeId: string;
}

/** The paths of the errors below the properties; empty if the write succeeds. */
type Way = (write: Write) => Promise<string[]>;

async function rest(method: string, { providedId, properties }: Write, headers = {}): Promise<string[]> {
  const body = { user_group_id: providedId, name: "x", properties };
  const reply = Object((await graphql.rest(method, body, undefined, headers)).body);
  return (reply.error?.fields ?? (reply.error ? [reply.error] : [])).map(
    ({ field }: Data) => `${reply.error.code} ${field}`,
  );
}

function pathsOf(userErrors: Data): string[] {
  return userErrors.map(({ code, field }: Data) => `${code.toLowerCase()} ${field.join(".")}`);
}

const one =
  (name: string, inputOf: (write: Write) => object): Way =>
  async (write) =>
    pathsOf((await mutate(name, inputOf(write))).userErrors);
const bulk =
  (name: string, inputOf: (write: Write) => object): Way =>
  async (write) => {
    const selection = "results { userErrors { code field } }";
    const { results } = await mutate(name, { allOrNothing: false, ...inputOf(write) }, selection);
    return pathsOf(results[0].userErrors);
  };
/** Removes what the properties to write lack. */
const patchOf = ({ properties }: Write) => ({ region: null, limit: null, note: null, ...properties });

const CHANGES: Readonly<Record<string, readonly [way: Way, path: string]>> = {
  "REST PUT": [(write) => rest("PUT", write), "properties"],
  "REST PUT of a merge patch": [
    (write) =>
      rest(
        "PUT",
        { ...write, properties: patchOf(write) },
        { "content-type": "application/merge-patch+json" },
      ),
    "properties",
  ],
  "REST PUT with a precondition": [(write) => rest("PUT", write, { "if-match": "*" }), "properties"],
  updateUserGroup: [
    one("updateUserGroup", ({ providedId, properties }) => ({ by: { providedId }, properties })),
    "properties",
  ],
  "updateUserGroup with a patch": [
    one("updateUserGroup", (write) => ({
      by: { providedId: write.providedId },
      propertiesPatch: patchOf(write),
    })),
    "propertiesPatch",
  ],
  updateUserGroups: [
    bulk("updateUserGroups", (write) => ({
      userGroups: [{ providedId: write.providedId }],
      propertiesPatch: patchOf(write),
    })),
    "propertiesPatch",
  ],
  upsertUserGroups: [
    bulk("upsertUserGroups", ({ providedId, properties }) => ({ userGroups: [{ providedId, properties }] })),
    "properties",
  ],
  restoreUserGroup: [
    one("restoreUserGroup", ({ providedId }) => ({ by: { providedId }, version: 1 })),
    "properties",
  ],
  undoBulkChange: [
    async ({ changeId }) => {
      const input = { id: changeId, bulkChangeId: randomUUID() };
      const { results } = await mutate("undoBulkChange", input, "results { userErrors { code field } }");
      return pathsOf(results[0].userErrors);
    },
    "properties",
  ],
};

const valid = { region: "eu" };
const invalid = { region: "xx" };
/** The properties of a group, those to write, and the members for which they are refused where the schema is enforced. */
const CASES = {
  "valid properties": [valid, { region: "us", limit: 5 }, []],
  "invalid properties": [valid, { region: "de", limit: 1.5 }, ["region", "limit"]],
  "a required property is removed": [valid, { limit: 1 }, ["region"]],
  "only a valid property of an invalid group": [invalid, { region: "xx", note: 1, limit: 2 }, []],
  "only an invalid property of an invalid group": [invalid, { region: "xx", limit: "1" }, ["limit"]],
} as const;

async function propertiesOf(providedId: string): Promise<Data> {
  const query = "query ($id: String!) { userGroup(by: { providedId: $id }) { properties } }";
  return (await run(query, { id: providedId })).userGroup.properties;
}

describe.each(SCHEMA_MODES)("%s", (mode) => {
  const changeIds = new Map<string, string>();
  const idOf = (way: string, what: string) => `${mode} ${way} ${what}`;

  beforeAll(async () => {
    await setMode("OFF");
    for (const way of Object.keys(CHANGES)) {
      for (const [what, [current, next]] of Object.entries(CASES)) {
        const providedId = idOf(way, what);
        const bulkChangeId = randomUUID();
        changeIds.set(providedId, bulkChangeId);
        await createUserGroup(graphql, providedId, { properties: next });
        const patch = { limit: null, note: null, ...current };
        await mutate("updateUserGroups", {
          ...{ userGroups: [{ providedId }], propertiesPatch: patch, allOrNothing: true, bulkChangeId },
        });
      }
    }
    await setMode(mode);
  });

  describe.each(Object.entries(CHANGES))("%s", (name, [way, path]) => {
    test.each(Object.entries(CASES))("%s", async (what, [current, next, refused]) => {
      const providedId = idOf(name, what);
      const write = { providedId, properties: next, changeId: changeIds.get(providedId) ?? "" };
      const expected = mode === "ENFORCE" ? refused.map((each) => `invalid_field ${path}.${each}`) : [];
      const count = await countInvalid(async () => expect(await way(write)).toEqual(expected));
      expect(count).toBe(mode === "WARN" && refused.length > 0 ? 1 : 0);
      expect(await propertiesOf(providedId)).toEqual(expected.length > 0 ? current : next);
      if (expected.length > 0) return;
      // An equal write is no change, and is not checked.
      const again = await countInvalid(async () => {
        if (name !== "undoBulkChange") expect(await way(write)).toEqual([]);
      });
      expect(again).toBe(0);
    });
  });

  test.each(["createUserGroup", "upsertUserGroups"])("%s of a new group", async (name) => {
    const create = (providedId: string, properties?: object) => {
      const group = { providedId, name: "x", ...(properties && { properties }) };
      return name === "createUserGroup"
        ? one(name, () => group)({ providedId, properties: {}, changeId: "" })
        : bulk(name, () => ({ userGroups: [group] }))({ providedId, properties: {}, changeId: "" });
    };
    const refused = mode === "ENFORCE" ? ["invalid_field properties.region"] : [];
    expect(await create(`${mode} ${name} valid`, valid)).toEqual([]);
    expect(await create(`${mode} ${name} invalid`, invalid)).toEqual(refused);
    expect(await create(`${mode} ${name} without properties`)).toEqual(refused);
    // The process has read the schema: an existing group is reported as such.
    if (name === "createUserGroup") {
      expect(await create(`${mode} ${name} valid`, valid)).toEqual(["user_group_exists providedId"]);
    }
  });

  test.each(["REST GET", "getOrCreateUserGroup"])("%s never fails", async (name) => {
    const providedId = `${mode} ${name}`;
    const get: Way = (write) =>
      name === "REST GET"
        ? rest("GET", write)
        : one(name, ({ properties }) => ({ providedId, name: "x", properties }))(write);
    const write = { providedId, properties: invalid, changeId: "" };
    const count = await countInvalid(async () => expect(await get(write)).toEqual([]));
    expect(count).toBe(mode === "OFF" ? 0 : 1);
    expect(await propertiesOf(providedId)).toEqual(invalid);
    expect(await countInvalid(async () => expect(await get(write)).toEqual([]))).toBe(0);
  });

  test("a rename, a rotation and a mapping of an invalid group succeed", async () => {
    const providedId = `${mode} REST GET`;
    expect((await graphql.rest("PUT", { user_group_id: providedId, name: "New" })).status).toBe(200);
    for (const [name, input] of Object.entries({
      updateUserGroup: { by: { providedId }, name: "Newer" },
      rotateUserGroupToken: { by: { providedId } },
      setUserGroupMapping: { by: { providedId }, schemaId: "s", dataSource: "sales" },
      upsertUserGroups: { userGroups: [{ providedId, name: "Newest" }] },
    })) {
      expect(await mutate(name, input)).toEqual({ userErrors: [] });
    }
  });
});

test("a schema that another process has changed is found by the write itself", async () => {
  await setMode("WARN");
  await createUserGroup(graphql, "other process", { properties: valid });
  await service.query(
    `UPDATE property_schema SET version = version + 1, mode = 'ENFORCE',
      schema = '{"type":"object","properties":{"region":{"const":"eu"}}}' WHERE account_id = $1`,
    [account.accountId],
  );
  const put = (region: string) =>
    rest("PUT", { providedId: "other process", properties: { region }, changeId: "" });
  expect(await put("us")).toEqual(["invalid_field properties.region"]);
  expect(await put("eu")).toEqual([]);
  await service.query(
    "UPDATE property_schema SET version = version + 1, mode = 'OFF' WHERE account_id = $1",
    [account.accountId],
  );
  expect(await put("us")).toEqual([]);
});

test("a PUT of valid properties takes one statement, as without a schema", async () => {
  await createUserGroup(graphql, "counted", { properties: valid });
  const statementsOf = async (region: string) => {
    service.statements.length = 0;
    expect(await rest("PUT", { providedId: "counted", properties: { region }, changeId: "" })).toEqual([]);
    return service.statements.filter((text) => /user_group\b|property_schema/.test(text)).length;
  };
  await setMode("OFF");
  expect(await statementsOf("us")).toBe(1);
  await setMode("ENFORCE");
  expect(await statementsOf("eu")).toBe(1);
});

test("an import rejects the lines that violate the schema", async () => {
  const commands = await startTransferCommands();
  const tenant = await commands.createTenant();
  await commands.service.query(
    `INSERT INTO property_schema (account_id, environment, schema, mode, version)
      VALUES ($1, 'Customer', $2, 'ENFORCE', 1)`,
    [tenant.accountId, JSON.stringify(schema)],
  );
  const lines = toLines([
    { provided_id: "good", name: "Good", properties: valid },
    { provided_id: "bad", name: "Bad", properties: invalid },
  ]);
  const end = await tenant.import({ groups: await commands.write("groups.jsonl", lines) });
  expect(end.stderr).toContain("properties.region");
  expect(await tenant.read("good")).toMatchObject({ properties: valid });
  expect(await tenant.read("bad")).toBeNull();
});
