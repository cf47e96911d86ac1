import { afterAll, expect, test } from "vitest";
import { openGroupStream } from "../../support/graphql/event-stream-client.js";
import { expectDerivedColumns } from "../../support/postgres/derived-columns.js";
import { countsOf, foreignToken, startTransferCommands, toLines } from "../../support/transfer/commands.js";

const commands = await startTransferCommands();
afterAll(() => expectDerivedColumns(commands.service));

const audit = async (accountId: number) =>
  commands.service.query(
    "SELECT action, subject_name, changed, actor_name, request_id FROM audit_entry WHERE account_id = $1 AND request_id LIKE 'import %' ORDER BY id",
    [accountId],
  );

test("imports data sources and groups, and changes nothing when repeated", async () => {
  const tenant = await commands.createTenant();
  const sources = await commands.write("sources.csv", "provided_id,name\nsales,Sales database\ncrm,CRM\n");
  const token = foreignToken();
  const groups = await commands.write(
    "groups.jsonl",
    toLines([
      {
        ...{ provided_id: "acme", name: "Acme", token, properties: { b: 1, a: [] } },
        mapping: { main: "crm", extra: "sales" },
      },
      // Formatted like a REST reply.
      { team_id: 5, name: "Blue", provided_id: "blue", properties: null, api_environment_tag: "Customer" },
      { user_group_id: "cyan", name: "Cyan" },
    ]),
  );
  const files = { dataSources: sources, groups };

  const dry = await tenant.import({ ...files, dryRun: true });
  const counts = { "data sources": [2, 1, 0, 1, 0], groups: [3, 3, 0, 0, 0] };
  expect(dry).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("Dry run") });
  expect(countsOf(dry)).toEqual(counts);
  expect(await tenant.read("acme")).toBeNull();
  expect(await audit(tenant.accountId)).toEqual([]);

  const first = await tenant.import(files);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect(countsOf(first)).toEqual(counts);
  expect(await tenant.read("acme")).toEqual({
    name: "Acme",
    token,
    version: 1,
    properties: { b: 1, a: [] },
    mapping: [
      { schemaId: "extra", dataSource: { providedId: "sales" } },
      { schemaId: "main", dataSource: { providedId: "crm" } },
    ],
  });
  expect(await tenant.read("cyan")).toMatchObject({
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
  ]);
  for (const entry of entries) expect(entry).toMatchObject({ actor_name: "cli", request_id: id });

  const again = await tenant.import(files);
  expect(countsOf(again)).toEqual({ "data sources": [2, 0, 0, 2, 0], groups: [3, 0, 0, 3, 0] });
  expect(await audit(tenant.accountId)).toEqual(entries);
});

test("a renamed data source reaches the subscribers of groups that map it", async () => {
  const tenant = await commands.createTenant();
  const sources = (name: string) => commands.write("renamed.csv", `provided_id,name\nlake,${name}\n`);
  const groups = await commands.write(
    "watched.jsonl",
    toLines([{ provided_id: "a", name: "A", mapping: { s: "lake" } }]),
  );
  await tenant.import({ dataSources: await sources("Lake"), groups });
  const query = `subscription { userGroupChanged(by: { providedId: "a" }) {
    kind userGroup { mapping { dataSource { name } } } } }`;
  const stream = await openGroupStream(commands.service.url, `Token ${tenant.key}`, query);
  for (const dryRun of [true, false]) await tenant.import({ dataSources: await sources("Ocean"), dryRun });
  expect(await stream.next()).toEqual({
    data: {
      userGroupChanged: { kind: "UPDATED", userGroup: { mapping: [{ dataSource: { name: "Ocean" } }] } },
    },
  });
  stream.close();
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
  expect(await tenant.read("one")).toMatchObject({
    name: "New name",
    version: 2,
    properties: { a: 1 },
    mapping: [{ schemaId: "main" }],
  });
  expect(await tenant.read("two")).toMatchObject({
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

test("rejected lines are reported with file, line, code and field, and do not affect other lines", async () => {
  const tenant = await commands.createTenant();
  const [{ id: internalId } = { id: 0 }] = await commands.service.query(
    "SELECT id FROM data_source WHERE account_id = $1",
    [tenant.accountId],
  );
  const named = (provided_id: string, fields: object) =>
    JSON.stringify({ provided_id, name: "x", ...fields });
  const groups = await commands.write(
    "faults.jsonl",
    [
      named("good", { token: foreignToken() }),
      '{"provided_id": "broken", }',
      "[1]",
      "",
      '{ "provided_id": "new" }',
      named("short", { token: "secret" }),
      named("key", { token: `ugk_live_${"a".repeat(40)}` }),
      named("typo", { propertes: {} }),
      named("deep", { properties: { a: { b: "\u0000" } } }),
      named("unknown", { mapping: { main: "nowhere" } }),
      // Internal IDs of another installation have no meaning here (decision 45).
      named("internal", { mapping: { main: String(internalId) } }),
      named("tag", { api_environment_tag: "Testing" }),
      named("last", {}),
    ].join("\n"),
  );
  const report = commands.at("report.jsonl");
  const dry = await tenant.import({ groups, dryRun: true });
  const end = await tenant.import({ groups, report });
  expect({ ...end, stdout: "" }).toEqual({ ...dry, stdout: "" });
  expect(end.code).toBe(1);
  expect(countsOf(end)).toEqual({ groups: [12, 2, 0, 0, 10] });
  expect(countsOf(dry)).toEqual(countsOf(end));
  const refused = end.stderr.replaceAll(groups, "G").trimEnd().split("\n");
  expect(refused.map((line) => line.split(" ").slice(0, 3).join(" "))).toEqual([
    "G:2: invalid_json: The",
    "G:3: invalid_json: The",
    "G:5: invalid_field: name:",
    "G:6: invalid_field: token:",
    "G:7: invalid_field: token:",
    "G:8: invalid_field: propertes:",
    "G:9: invalid_field: properties.a.b:",
    "G:10: unknown_data_source: mapping.main:",
    "G:11: unknown_data_source: mapping.main:",
    "G:12: invalid_field: api_environment_tag:",
  ]);
  const reported = (await commands.read("report.jsonl")).trimEnd().split("\n");
  expect(reported).toHaveLength(10);
  expect(JSON.parse(reported[2] ?? "")).toEqual({
    file: groups,
    line: 5,
    code: "invalid_field",
    field: "name",
    message: "is required.",
  });
  for (const id of ["good", "last"]) expect(await tenant.read(id)).not.toBeNull();
  expect(await tenant.read("broken")).toBeNull();
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
  const end = await tenant.import({ dataSources, groups });
  expect(countsOf(end)).toEqual({
    "data sources": [2, 1, 1, 0, 0],
    groups: [4, 1, 1, 1, 1],
  });
  expect(end.stderr).toMatch(/:2: token_taken: token: [^\n]+\n$/);
  expect(await tenant.read("one")).toMatchObject({
    name: "Second",
    token,
    properties: { a: 1 },
    mapping: [{ schemaId: "main", dataSource: { providedId: "lake" } }],
  });
});

test("data sources are created in the import's environment, and mappings refer to that environment only", async () => {
  const tenant = await commands.createTenant();
  const testing = await commands.otherEnvironment(tenant);
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
