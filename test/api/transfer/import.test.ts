import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  countsOf,
  foreignToken,
  readGroup,
  startTransferCommands,
  type TransferCommands,
  toLines,
} from "../../support/transfer/commands.js";

let commands: TransferCommands;
beforeAll(async () => {
  commands = await startTransferCommands();
});
afterAll(() => commands.close());

const audit = async (accountId: number) =>
  commands.service.query(
    "SELECT action, subject_name, changed, actor_name, request_id FROM audit_entry WHERE account_id = $1 AND request_id LIKE 'import %' ORDER BY id",
    [accountId],
  );

test("imports data sources, groups and mappings, and changes nothing when repeated", async () => {
  const tenant = await commands.createTenant();
  const sources = await commands.write("sources.csv", "provided_id,name\nsales,Sales database\ncrm,CRM\n");
  const token = foreignToken();
  const groups = await commands.write(
    "groups.jsonl",
    toLines([
      { provided_id: "acme", name: "Acme", token, properties: { b: 1, a: [] }, mapping: { main: "crm" } },
      // Formatted like a REST reply.
      { team_id: 5, name: "Blue", provided_id: "blue", properties: null, api_environment_tag: "Customer" },
      { user_group_id: "cyan", name: "Cyan" },
    ]),
  );
  const mappings = await commands.write(
    "mappings.csv",
    "user_group_id,schema_id,data_source\nblue,main,crm\nacme,extra,sales\n",
  );
  const files = { dataSources: sources, groups, mappings };

  const dry = await tenant.import({ ...files, dryRun: true });
  const counts = { "data sources": [2, 1, 0, 1, 0], groups: [3, 3, 0, 0, 0], mappings: [2, 2, 0, 0, 0] };
  expect(dry).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("Dry run") });
  expect(countsOf(dry)).toEqual(counts);
  expect(await readGroup(commands, tenant, "acme")).toBeNull();
  expect(await audit(tenant.accountId)).toEqual([]);

  const first = await tenant.import(files);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(countsOf(first)).toEqual(counts);
  expect(await readGroup(commands, tenant, "acme")).toEqual({
    name: "Acme",
    token,
    version: 2,
    properties: { b: 1, a: [] },
    mapping: [
      { schemaId: "extra", dataSource: { providedId: "sales" } },
      { schemaId: "main", dataSource: { providedId: "crm" } },
    ],
  });
  expect(await readGroup(commands, tenant, "cyan")).toMatchObject({
    token: expect.stringMatching(/^ugt_/),
    properties: null,
    mapping: [],
  });
  const [, id] = /Request ID in the audit log: (import .+)\n/.exec(first.stdout) ?? [];
  const entries = await audit(tenant.accountId);
  expect(entries.map(({ action, subject_name }) => `${action} ${subject_name}`).toSorted()).toEqual([
    "data_source.created crm",
    "user_group.created acme",
    "user_group.created blue",
    "user_group.created cyan",
    "user_group.updated acme",
    "user_group.updated blue",
  ]);
  for (const entry of entries) expect(entry).toMatchObject({ actor_name: "cli", request_id: id });

  // The mappings file gave acme another entry than the groups file has.
  const again = await tenant.import({ dataSources: sources, mappings });
  expect(countsOf(again)).toEqual({ "data sources": [2, 0, 0, 2, 0], mappings: [2, 0, 0, 2, 0] });
  expect(await audit(tenant.accountId)).toEqual(entries);
});

test("updates what differs, keeps omitted fields and clears null ones", async () => {
  const tenant = await commands.createTenant();
  const one = { provided_id: "one", name: "One", properties: { a: 1 }, mapping: { main: "sales" } };
  const two = { provided_id: "two", name: "Two", properties: { a: 1 }, mapping: { main: "sales" } };
  await tenant.import({ groups: await commands.write("first.jsonl", toLines([one, two])) });
  const later = await commands.write(
    "later.csv",
    'provided_id,name,properties,mapping\none,New name,,\ntwo,,null,"{""main"":""support"",""more"":""sales""}"\n',
  );
  const end = await tenant.import({ groups: later, author: "Ann", json: true });
  expect(JSON.parse(end.stdout)).toMatchObject({
    dryRun: false,
    interrupted: false,
    failure: null,
    groups: { created: 0, updated: 2, unchanged: 0, refused: 0 },
  });
  expect(await readGroup(commands, tenant, "one")).toMatchObject({
    name: "New name",
    version: 2,
    properties: { a: 1 },
    mapping: [{ schemaId: "main" }],
  });
  expect(await readGroup(commands, tenant, "two")).toMatchObject({
    name: "Two",
    properties: null,
    mapping: [
      { schemaId: "main", dataSource: { providedId: "support" } },
      { schemaId: "more", dataSource: { providedId: "sales" } },
    ],
  });
  expect((await audit(tenant.accountId)).slice(-2)).toMatchObject([
    { subject_name: "one", changed: ["name"], actor_name: "Ann" },
    { subject_name: "two", changed: ["properties", "mapping"], actor_name: "Ann" },
  ]);
});

test("treats properties that are equal as JSON as unchanged, also in a dry run", async () => {
  const tenant = await commands.createTenant();
  const first = '{"provided_id":"equal","name":"Equal","properties":{"a":1,"b":{"c":[1.5,null],"d":"é"}}}\n';
  await tenant.import({ groups: await commands.write("equal-1.jsonl", first) });
  const again = '{"provided_id":"equal","properties":{"b":{"d":"\\u00e9","c":[15e-1,null]},"a":1.0}}\n';
  const path = await commands.write("equal-2.jsonl", again);
  for (const dryRun of [true, false]) {
    expect(countsOf(await tenant.import({ groups: path, dryRun }))).toEqual({ groups: [1, 0, 0, 1, 0] });
  }
  expect(await readGroup(commands, tenant, "equal")).toMatchObject({ version: 1 });
  const other = first.replace("1.5", "1.25").replace('"a":1,', "");
  const changed = await tenant.import({ groups: await commands.write("equal-3.jsonl", other) });
  expect(countsOf(changed)).toEqual({ groups: [1, 0, 1, 0, 0] });
  expect(await readGroup(commands, tenant, "equal")).toMatchObject({ version: 2 });
});

describe("rejected lines", () => {
  test("are reported with file, line, code and field, and do not affect other lines", async () => {
    const tenant = await commands.createTenant();
    const token = foreignToken();
    const [{ id: internalId } = { id: 0 }] = await commands.service.query(
      "SELECT id FROM data_source WHERE account_id = $1",
      [tenant.accountId],
    );
    const path = await commands.write(
      "faults.jsonl",
      [
        { provided_id: "good", name: "Good", token },
        '{"provided_id": "broken", }',
        "[1]",
        "",
        { provided_id: "new" },
        { provided_id: "short", name: "x", token: "secret" },
        { provided_id: "key", name: "x", token: `ugk_live_${"a".repeat(40)}` },
        { provided_id: "typo", name: "x", propertes: {} },
        { provided_id: "deep", name: "x", properties: { a: { b: "\u0000" } } },
        { provided_id: "unknown", name: "x", mapping: { main: "nowhere" } },
        // Internal IDs of another installation have no meaning here (decision 45).
        { provided_id: "internal", name: "x", mapping: { main: String(internalId) } },
        { provided_id: "tag", name: "x", api_environment_tag: "Testing" },
        { provided_id: "last", name: "Last" },
      ]
        .map((line) => (typeof line === "string" ? line : JSON.stringify(line)))
        .join("\n"),
    );
    const report = commands.at("report.jsonl");
    const dry = await tenant.import({ groups: path, dryRun: true });
    const end = await tenant.import({ groups: path, report });
    expect({ ...end, stdout: "" }).toEqual({ ...dry, stdout: "" });
    expect(end.code).toBe(1);
    expect(countsOf(end)).toEqual({ groups: [12, 2, 0, 0, 10] });
    const refused = end.stderr.trimEnd().split("\n");
    expect(refused.map((line) => line.replace(path, "F").split(" ").slice(0, 3))).toEqual(
      [
        "F:2: invalid_json: The",
        "F:3: invalid_json: The",
        "F:5: invalid_field: name:",
        "F:6: invalid_field: token:",
        "F:7: invalid_field: token:",
        "F:8: invalid_field: propertes:",
        "F:9: invalid_field: properties.a.b:",
        "F:10: unknown_data_source: mapping.main:",
        "F:11: unknown_data_source: mapping.main:",
        "F:12: invalid_field: api_environment_tag:",
      ].map((words) => words.split(" ")),
    );
    const reported = (await commands.read("report.jsonl")).trimEnd().split("\n");
    expect(reported.map((line) => JSON.parse(line))).toHaveLength(10);
    expect(JSON.parse(reported[2] ?? "")).toEqual({
      file: path,
      line: 5,
      code: "invalid_field",
      field: "name",
      message: "is required to create a user group.",
    });
    for (const id of ["good", "last"]) expect(await readGroup(commands, tenant, id)).not.toBeNull();
    expect(await readGroup(commands, tenant, "broken")).toBeNull();
  });

  test("include mappings of a missing group or to a missing data source", async () => {
    const tenant = await commands.createTenant();
    const path = await commands.write(
      "wrong.jsonl",
      toLines([
        { user_group_id: "nobody", schema_id: "main", data_source: "sales" },
        { user_group_id: "nobody", schema_id: "more", data_source: "nowhere" },
      ]),
    );
    const end = await tenant.import({ mappings: path });
    expect(end).toMatchObject({ code: 1 });
    expect(
      end.stderr
        .trimEnd()
        .split("\n")
        .map((line) => line.split(": ").slice(1, 3)),
    ).toEqual([
      ["user_group_not_found", "user_group_id"],
      ["unknown_data_source", "data_source"],
    ]);
  });
});

test("lines apply in order: a repeated ID changes what the earlier line imported, and a repeated token is rejected", async () => {
  const tenant = await commands.createTenant();
  const token = foreignToken();
  const dataSources = await commands.write("twice.csv", "provided_id,name\nlake,Lake\nlake,Ocean\n");
  const groups = await commands.write(
    "twice.jsonl",
    toLines([
      { provided_id: "one", name: "First", token, mapping: { main: "lake" } },
      { provided_id: "two", name: "Two", token },
      { provided_id: "one", name: "Second", properties: { a: 1 } },
      { provided_id: "one", name: "Second" },
    ]),
  );
  const mappings = await commands.write(
    "twice-mappings.csv",
    "user_group_id,schema_id,data_source\none,more,sales\none,more,support\n",
  );
  const end = await tenant.import({ dataSources, groups, mappings });
  expect(countsOf(end)).toEqual({
    "data sources": [2, 1, 1, 0, 0],
    groups: [4, 1, 1, 1, 1],
    mappings: [2, 1, 1, 0, 0],
  });
  expect(end.stderr).toMatch(/:2: token_taken: token: [^\n]+\n$/);
  expect(await readGroup(commands, tenant, "one")).toMatchObject({
    name: "Second",
    token,
    properties: { a: 1 },
    mapping: [
      { schemaId: "main", dataSource: { providedId: "lake" } },
      { schemaId: "more", dataSource: { providedId: "support" } },
    ],
  });
});

test("data sources are created in the import's environment, and mappings refer to that environment only", async () => {
  const tenant = await commands.createTenant();
  const testing = await tenant.other();
  const sources = await commands.write("testing-sources.csv", "provided_id,name\nsales,Renamed\nlake,Lake\n");
  const groups = await commands.write(
    "lake-groups.jsonl",
    toLines([{ provided_id: "acme", name: "Acme", mapping: { main: "lake" } }]),
  );
  expect(await testing.import({ dataSources: sources, groups })).toMatchObject({ code: 0, stderr: "" });
  const refused = await tenant.import({ groups });
  expect(refused.stderr).toContain("unknown_data_source: mapping.main:");
  const exported = async (from: typeof tenant) => {
    const path = commands.at("exported-sources.csv");
    await from.export({ dataSources: path });
    return commands.read("exported-sources.csv");
  };
  expect(await exported(tenant)).toBe("provided_id,name\nsales,Sales database\nsupport,Support database\n");
  expect(await exported(testing)).toBe(
    "provided_id,name\nlake,Lake\nsales,Renamed\nsupport,Support database\n",
  );
});
