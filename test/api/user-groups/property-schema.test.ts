import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { clientOptions } from "../../../src/persistence/shared/database-options.js";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";

const graphql = await startGraphql();
const { keys, mutate, run, service } = graphql;

const SCHEMA = "mode version schema updatedAt";
const REPORT = "checked invalid endCursor nodes { userGroup { providedId } errors { code message field } }";
const object = { type: "object" } as const;

const set = (input: object, key?: string): Promise<Data> =>
  mutate("setPropertySchema", input, `propertySchema { ${SCHEMA} } report { ${REPORT} }`, key);
const read = async (key = keys.read): Promise<Data> =>
  (await run(`{ propertySchema { ${SCHEMA} } }`, {}, key)).propertySchema;
const errorsOf = ({ userErrors }: Data) =>
  userErrors.map(({ code, field }: Data) => `${code} ${(field ?? []).join(".")}`);

test("an environment begins without a schema, and each has its own", async () => {
  const none = { mode: "OFF", version: 0, schema: null, updatedAt: null };
  expect(await read()).toEqual(none);
  const schema = { title: "Properties", type: "object", properties: { b: {}, a: {} } };
  const saved = await set({ schema, mode: "WARN", expectedVersion: 0 });
  expect(saved).toEqual({
    propertySchema: { mode: "WARN", version: 1, schema, updatedAt: expect.any(String) },
    report: { checked: 0, invalid: 0, endCursor: null, nodes: [] },
    userErrors: [],
  });
  expect(await read()).toEqual(saved.propertySchema);
  expect(await read(keys.testing)).toEqual(none);
});

test("its changes have versions and audit entries; an equal one is none", async () => {
  const { version } = await read();
  expect(errorsOf(await set({ mode: "OFF", expectedVersion: version + 1 }))).toEqual([
    "VERSION_CONFLICT expectedVersion",
  ]);
  expect(await read()).toMatchObject({ mode: "WARN", version });
  expect((await set({ mode: "WARN" })).propertySchema.version).toBe(version);
  expect((await set({ mode: "ENFORCE", expectedVersion: version })).propertySchema.version).toBe(version + 1);
  expect((await set({ schema: object, mode: "ENFORCE" })).propertySchema.version).toBe(version + 2);
  const removed = await set({ schema: null, mode: "OFF" });
  expect(removed).toMatchObject({ propertySchema: { schema: null, version: version + 3 }, report: null });
  const { auditLog } = await run(`{ auditLog(filter: { actions: [PROPERTY_SCHEMA_UPDATED] }) { nodes {
    subjectName subjectVersion changed actorName subject { ... on PropertySchema { version } } } } }`);
  const entryOf = (each: number, ...changed: string[]) => ({
    ...{ subjectName: "properties", subjectVersion: each, changed, actorName: expect.any(String) },
    subject: { version: version + 3 },
  });
  expect(auditLog.nodes).toEqual([
    entryOf(version + 3, "schema", "mode"),
    entryOf(version + 2, "schema"),
    entryOf(version + 1, "mode"),
    entryOf(1, "schema", "mode"),
  ]);
});

test("refuses what no schema may be, by path, and a mode without a schema", async () => {
  const refused = { type: "object", properties: { a: { pattern: "x" } }, minProperties: 1 };
  expect(errorsOf(await set({ schema: refused, mode: "OFF" }))).toEqual([
    "INVALID_FIELD schema.properties.a.pattern",
    "INVALID_FIELD schema.minProperties",
  ]);
  for (const mode of ["WARN", "ENFORCE"])
    expect(errorsOf(await set({ schema: null, mode }))).toEqual(["INVALID_FIELD mode"]);
  expect(errorsOf(await set({ schema: object, mode: "OFF", expectedVersion: null }))).toEqual([
    "INVALID_FIELD expectedVersion",
  ]);
});

test("of concurrent first schemas, one is stored", async () => {
  const other = await service.createAccount();
  const { secret } = await other.createKey();
  const attempts = ["a", "b", "c", "d"].map((title) =>
    set({ schema: { ...object, title }, mode: "OFF", expectedVersion: 0 }, secret),
  );
  const codes = (await Promise.all(attempts)).flatMap(errorsOf);
  expect(codes).toEqual(Array.from({ length: 3 }, () => "VERSION_CONFLICT expectedVersion"));
  expect((await read(secret)).version).toBe(1);
});

test("a schema whose request was rolled back does not stay in the cache for another one of its version", async () => {
  const { secret } = await (await service.createAccount()).createKey();
  const schemaOf = (type: string) => ({ ...object, properties: { region: { type } } });
  const { body } = await graphql.send(
    {
      query: `mutation ($input: SetPropertySchemaInput!) { setPropertySchema(input: $input) {
        propertySchema { version findings(first: 1000) { checked } } } }`,
      variables: { input: { schema: schemaOf("integer"), mode: "ENFORCE" } },
    },
    secret,
    { "idempotency-key": "rolled back" },
  );
  expect(Object(body).errors).toMatchObject([{ path: ["setPropertySchema", "propertySchema", "findings"] }]);
  expect(await read(secret)).toMatchObject({ version: 0, mode: "OFF" });
  const saved = await set({ schema: schemaOf("string"), mode: "ENFORCE", expectedVersion: 0 }, secret);
  expect(saved.propertySchema).toMatchObject({ version: 1, schema: schemaOf("string") });
  const createGroup = (region: unknown) =>
    mutate("createUserGroup", { providedId: `${region}`, name: "x", properties: { region } }, "", secret);
  expect(errorsOf(await createGroup("EU"))).toEqual([]);
  expect(errorsOf(await createGroup(1))).toEqual(["INVALID_FIELD properties.region"]);
});

describe("ENFORCE", () => {
  test("needs no second connection, which might wait for the first", async () => {
    const { service: small, keys: own } = await startGraphql({ poolSize: 1 });
    const query =
      'mutation { setPropertySchema(input: { schema: { type: "object" }, mode: ENFORCE }) { userErrors { code } } }';
    const { body } = await callGraphql(small.url, own.admin, query);
    expect(body).toEqual({ data: { setPropertySchema: { userErrors: [] } } });
  });

  test("is refused while a process of a former version is connected", async () => {
    const former = new Client({ ...clientOptions(service.target), application_name: "user-groups" });
    await former.connect();
    try {
      const refused = await graphql.call(
        'mutation { setPropertySchema(input: { schema: { type: "object" }, mode: ENFORCE }) { userErrors { code } } }',
      );
      expect(Object(refused.body).errors[0]).toMatchObject({
        message: expect.stringContaining("(connections: 1)"),
        extensions: { code: "UNAVAILABLE" },
      });
      expect(errorsOf(await set({ schema: object, mode: "WARN" }))).toEqual([]);
    } finally {
      await former.end();
    }
    await expect.poll(async () => errorsOf(await set({ mode: "ENFORCE" }))).toEqual([]);
  });
});

describe("findings", () => {
  const COUNT = 250;
  const schema = { ...object, properties: { n: { type: "integer" } } };

  test("are listed page by page, and counted by a dry run, which changes nothing", async () => {
    const userGroups = Array.from({ length: COUNT }, (_, index) => ({
      ...{ providedId: `f${index}`, name: "x" },
      properties: { n: index % 5 === 0 ? "text" : index },
    }));
    await set({ schema: null, mode: "OFF" });
    await mutate("upsertUserGroups", { userGroups });
    const former = await read();
    const dry = await set({ schema, mode: "ENFORCE", dryRun: true });
    expect(dry).toMatchObject({
      propertySchema: former,
      report: { checked: COUNT, invalid: COUNT / 5, endCursor: null },
      userErrors: [],
    });
    expect(await read()).toEqual(former);

    await set({ schema, mode: "OFF" });
    const twice =
      "{ propertySchema { one: findings(first: 1) { checked } two: findings(first: 1) { checked } } }";
    for (const [query, code, path] of [
      [twice, "QUERY_TOO_EXPENSIVE", ["propertySchema", "two"]],
      [
        "{ propertySchema { findings(first: 0) { checked } } }",
        "INVALID_FIELD",
        ["propertySchema", "findings"],
      ],
    ] as const)
      expect(Object((await graphql.call(query)).body).errors).toMatchObject([{ path, extensions: { code } }]);
    const found: string[] = [];
    let after: string | null = null;
    let checked = 0;
    do {
      const query = `query ($after: String) { propertySchema { findings(first: 20, after: $after) { ${REPORT} } } }`;
      const { findings }: Data = (await run(query, { after }, keys.read)).propertySchema;
      checked += findings.checked;
      found.push(...findings.nodes.map(({ userGroup }: Data) => userGroup.providedId));
      expect(findings.nodes.length).toBeLessThanOrEqual(20);
      for (const { errors } of findings.nodes)
        expect(errors).toEqual([
          { code: "INVALID_FIELD", message: "n must be a whole number.", field: ["n"] },
        ]);
      after = findings.endCursor;
    } while (after !== null);
    expect(found).toEqual(
      userGroups.filter((_, index) => index % 5 === 0).map(({ providedId }) => providedId),
    );
    expect(checked).toBe(COUNT);
  });

  test("of a group are its `propertyErrors`, also in a list, unless the schema is off", async () => {
    const filter = '(first: 2, filter: { providedIds: ["f0", "f1"] })';
    const errorsIn = async () => {
      const { userGroups, userGroup } = await run(`{
        userGroups${filter} { nodes { propertyErrors { code message field } } }
        userGroup(by: { providedId: "f0" }) { propertyErrors { code message field } } }`);
      return [...userGroups.nodes, userGroup].map(({ propertyErrors }) => propertyErrors);
    };
    const invalid = [{ code: "INVALID_FIELD", message: "n must be a whole number.", field: ["n"] }];
    for (const mode of ["WARN", "ENFORCE"]) {
      await set({ schema, mode });
      expect(await errorsIn()).toEqual([invalid, [], invalid]);
    }
    await set({ schema, mode: "OFF" });
    expect(await errorsIn()).toEqual([[], [], []]);
  });

  test("of large groups, a request reads a bounded part", async () => {
    const properties = { n: 1, text: "x".repeat(60_000) };
    for (let batch = 0; batch < 5; batch += 1)
      await mutate("upsertUserGroups", {
        userGroups: Array.from({ length: 50 }, (_, index) => ({
          ...{ providedId: `large${batch}-${index}`, name: "x" },
          properties,
        })),
      });
    const { report } = await set({ mode: "WARN" });
    expect(report.checked).toBeLessThan(COUNT + 250);
    expect(report.endCursor).not.toBeNull();
    const query = `query ($after: String) { propertySchema { findings(after: $after) { ${REPORT} } } }`;
    const { propertySchema } = await run(query, { after: report.endCursor });
    expect(propertySchema.findings).toMatchObject({ invalid: 0, endCursor: null });
    expect(report.checked + propertySchema.findings.checked).toBe(COUNT + 250);
  });
});

test("front ends cannot read it, and only admins change it", async () => {
  const { token } = await createUserGroup(graphql, "front");
  expect(await graphql.front(token, "{ propertySchema { mode } }")).toMatchObject({
    body: { errors: [{ extensions: { code: "FORBIDDEN" } }] },
  });
  const change = "mutation { setPropertySchema(input: { mode: OFF }) { userErrors { code } } }";
  expect((await graphql.call(change, {}, keys.write)).body).toMatchObject({
    errors: [{ extensions: { code: "FORBIDDEN" } }],
  });
});
