import { expect, test } from "vitest";
import { callRest } from "../support/rest/rest-client.js";
import { startRemoteCommands } from "../support/transfer/environment-files.js";

const commands = await startRemoteCommands();
const { service } = commands;

async function createEnvironments() {
  const { testing, customer } = await commands.createEnvironments();
  const keys = { USER_GROUPS_FROM_API_KEY: testing.key, USER_GROUPS_TO_API_KEY: customer.key };
  return { testing, customer, copy: (...args: string[]) => commands.run(["copy-groups", ...args], keys) };
}

const GROUP =
  "{ userGroups(first: 250) { nodes { providedId name token mapping { schemaId dataSource { providedId } } } } }";

test("groups are copied with new tokens, after a dry run that shows each difference, and once only", async () => {
  const { testing, customer, copy } = await createEnvironments();
  const groups = Array.from({ length: 60 }, (_, n) => ({
    providedId: `eu-${n}`,
    name: `Group ${n}`,
    properties: { region: "EU", n, large: "x".repeat(30_000) },
    mapping: [{ schemaId: "main", dataSource: "sales" }],
  }));
  for (const userGroups of [groups.slice(0, 30), groups.slice(30), [{ providedId: "us-1", name: "Other" }]])
    await testing.mutate("upsertUserGroups", { userGroups });
  await customer.mutate("upsertUserGroups", {
    userGroups: [{ ...groups[0], name: "Before", properties: { region: "EU", old: true } }, groups[1]],
  });
  const filter = '{"providedIdStartsWith": "eu-"}';
  const dryRun = await copy("--filter", filter, "--dry-run");
  expect(dryRun).toMatchObject({ code: 0, stderr: "" });
  const [, changes] = /^(~ user group "eu-0"\n(?: {4}.*\n)+)/m.exec(dryRun.stdout) ?? [];
  expect(changes?.replace(/"x+…/, "X")).toBe(
    [
      '~ user group "eu-0"',
      '    name: "Before" → "Group 0"',
      "    properties.old: true → none",
      "    properties.n: none → 0",
      "    properties.large: none → X",
      "",
    ].join("\n"),
  );
  expect(dryRun.stdout).toMatch(/\n58 +1 +1 +0\nDry run: nothing was changed\.\n$/);
  expect((await customer.read(GROUP)).userGroups.nodes).toHaveLength(2);

  expect(await copy("--filter", filter)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\n58 +1 +1 +0\n$/),
  });
  const [from, to] = [await testing.read(GROUP), await customer.read(GROUP)];
  const tokens = new Set(from.userGroups.nodes.map(({ token }: { readonly token: string }) => token));
  expect(to.userGroups.nodes).toHaveLength(60);
  for (const { token } of to.userGroups.nodes) expect(tokens.has(token)).toBe(false);
  for (const { providedId, name, properties, mapping } of [groups[0], groups[59]].flatMap(
    (each) => each ?? [],
  )) {
    const { userGroup } = await customer.read(
      `{ userGroup(by: { providedId: "${providedId}" }) { name properties mapping { schemaId dataSource { providedId } } } }`,
    );
    const copied = mapping.map(({ schemaId, dataSource }) => ({
      schemaId,
      dataSource: { providedId: dataSource },
    }));
    expect(userGroup).toEqual({ name, properties, mapping: copied });
  }
  const again = await copy("--filter", filter, "--json");
  expect(JSON.parse(again.stdout)).toEqual({
    dryRun: false,
    interrupted: false,
    created: 0,
    updated: 0,
    unchanged: 60,
    refused: 0,
  });
  expect(await copy("--all")).toMatchObject({ stdout: expect.stringMatching(/\n1 +0 +60 +0\n$/) });
});

test("a group with a data source that the target lacks, or a number that JavaScript does not keep, is refused and named", async () => {
  const { testing, customer, copy } = await createEnvironments();
  const { dataSource } = await customer.read(
    '{ dataSource(by: { providedId: "support" }) { dataSourceId } }',
  );
  // Also an external ID that is an internal ID of the target.
  const lookalike = String(dataSource.dataSourceId);
  for (const providedId of ["orders", lookalike])
    await testing.mutate("createDataSource", { providedId, name: "New" });
  await testing.mutate("upsertUserGroups", {
    userGroups: [
      { providedId: "good", name: "Good", mapping: [{ schemaId: "a", dataSource: "sales" }] },
      ...["orders", lookalike].map((id, n) => ({
        providedId: `missing-${n}`,
        name: "Missing",
        mapping: [{ schemaId: "a", dataSource: id }],
      })),
      { providedId: "inexact", name: "Inexact" },
    ],
  });
  await callRest(
    `${service.url}/api/user`,
    "PUT",
    testing.key,
    '{"user_group_id": "inexact", "properties": {"a": {"id": 9007199254740993}}}',
  );
  const end = await copy("--all");
  expect(end).toEqual({
    code: 1,
    signal: null,
    stdout: expect.stringMatching(/\n1 +0 +0 +3\n$/),
    stderr: [
      '"missing-0": The target has no data source "orders".\n',
      `"missing-1": The target has no data source "${lookalike}".\n`,
      '"inexact": properties.a.id must be a number that a 64-bit float keeps; send it as a string.\n',
    ].join(""),
  });
  const { userGroups } = await customer.read(GROUP);
  expect(userGroups.nodes.map(({ providedId }: { readonly providedId: string }) => providedId)).toEqual([
    "good",
  ]);
});

test("without a filter that narrows, or with one and --all, nothing is copied", async () => {
  const { testing, copy } = await createEnvironments();
  await testing.mutate("createUserGroup", { providedId: "one", name: "One", properties: { region: null } });
  const wrong = [
    [],
    ["--filter", "{}"],
    ["--filter", '{"search": " "}'],
    ["--filter", '{"schemaId": null}'],
    ["--filter", '{"search": "\u0301"}'],
    ["--filter", '{"updatedAt": {"from": null}}'],
    ["--filter", '{"createdAt": {}, "schemaId": "a"}'],
    ["--filter", '{"properties": {}}'],
    ["--filter", '{"properties": "{ }"}'],
    ["--filter", '{"properties": ""}'],
    ["--filter", "[]"],
    ["--filter", "{"],
    ["--all", "--filter", '{"search": "a"}'],
    ["--filter", '{"properties": {"n": 9007199254740993}}'],
  ];
  for (const args of wrong) expect(await copy(...args)).toMatchObject({ code: 2, stdout: "" });
  expect(await copy("--filter", '{"unknown": 1}')).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("unknown"),
  });
  for (const narrow of [
    '{"properties": {"region": null}}',
    '{"providedIds": ["one"]}',
    '{"hasMapping": false}',
  ])
    expect(await copy("--filter", narrow, "--dry-run")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\n1 +0 +0 +0\n/),
    });
});
