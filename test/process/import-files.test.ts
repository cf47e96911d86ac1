import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FILE_SHAPES } from "../../src/cli/transfer/files/import-records.js";
import { openSourceFile } from "../../src/cli/transfer/files/source-file.js";
import { type SourcePosition, type SourceRecord, START } from "../../src/cli/transfer/files/source-record.js";
import {
  countsOf,
  foreignToken,
  readGroup,
  startTransferCommands,
  type TransferCommands,
  toLines,
} from "../support/transfer/commands.js";

let commands: TransferCommands;
beforeAll(async () => {
  commands = await startTransferCommands();
});
afterAll(() => commands.close());

describe("unreadable input", () => {
  test("counts line breaks within CSV cells, and stops at a broken quote", async () => {
    const tenant = await commands.createTenant();
    const path = await commands.write(
      "lines.csv",
      '\ufeffprovided_id,name,properties\r\none,"Two\nlines",\r\n\r\ntwo,Two\r\nthree,Three,{]\r\nfour,Four,"{""a"": ""x""}"\r\nfive,"Fi"ve,\r\nsix,Six,\r\n',
    );
    const end = await tenant.import({ groups: path });
    expect(end.code).toBe(1);
    expect(countsOf(end)).toEqual({ groups: [4, 2, 0, 0, 2] });
    expect(end.stderr.replaceAll(path, "F")).toMatch(
      /^F:5: invalid_csv: The line has 2 cells.*\nF:6: invalid_json: properties: .*\nF: invalid_csv: Invalid Closing Quote.* line 8 .*\n$/,
    );
    expect(await readGroup(commands, tenant, "one")).toMatchObject({ name: "Two\nlines" });
    expect(await readGroup(commands, tenant, "four")).toMatchObject({ properties: { a: "x" } });
  });

  test.each([
    [{ groups: "missing.csv" }, /^Cannot read ".*missing.csv": ENOENT/],
    [{ groups: "groups.txt" }, /^The format of "groups.txt" is unknown. Add --format/],
    [{}, /^No file to import. Set --data-sources, --groups or --mappings.$/],
    [{ groups: "-", mappings: "-", format: "csv" }, /^Only one of the files/],
    [{ groups: "-", checkpoint: "x", format: "csv" }, /^Standard input cannot be resumed/],
  ] as const)("rejects usage such as %s", async (choices, complaint) => {
    const tenant = await commands.createTenant();
    const end = await tenant.import(choices);
    expect(end).toEqual({ code: 1, stdout: "", stderr: expect.stringMatching(/^[^\n]+\n$/) });
    expect(end.stderr.trimEnd()).toMatch(complaint);
  });

  test("reports unknown columns, text that is not UTF-8 and an unknown account", async () => {
    const tenant = await commands.createTenant();
    const wrong = await commands.write("wrong.csv", "id;name\n1;One\n");
    for (const text of ["", "\ufeff", "\n\n"]) {
      const empty = await commands.write("empty.csv", text);
      expect(await tenant.import({ groups: empty })).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/the first line must be a header.*; the file is empty/),
      });
    }
    const latin = await commands.write("latin.csv", Buffer.from("provided_id,name\none,Größe\n", "latin1"));
    expect(await tenant.import({ groups: wrong })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/the first line must be a header.*; it is "id;name"/),
    });
    expect(await tenant.import({ groups: latin })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is not UTF-8"),
    });
    expect(await tenant.import({ account: "nobody", groups: latin })).toEqual({
      code: 1,
      stdout: "",
      stderr: 'Account "nobody" does not exist. Fix the name, or create it with `account create`.\n',
    });
  });
});

test("a killed import resumes at its checkpoint", async () => {
  const tenant = await commands.createTenant();
  const count = 9000;
  const path = await commands.write(
    "many.jsonl",
    toLines(Array.from({ length: count }, (_, n) => ({ provided_id: `group ${n}`, name: `Group ${n}` }))),
  );
  const checkpoint = commands.at("checkpoint.json");
  const broken = await tenant.launch("import", "--groups", path, "--checkpoint", checkpoint);
  while ((await commands.read("checkpoint.json").catch(() => "")) === "") {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  broken.kill("SIGKILL");
  await broken.ended;
  const end = await tenant.import({ groups: path, checkpoint });
  expect(end).toMatchObject({ code: 0, stderr: expect.stringMatching(/resuming after line \d+\n$/) });
  const [records = 0, created = 0, updated, unchanged = 0, refused] = countsOf(end)["groups"] ?? [];
  // A committed batch that was not recorded in the checkpoint is found unchanged.
  expect({ records, together: created + unchanged, updated, refused }).toEqual({
    records: count,
    together: count,
    updated: 0,
    refused: 0,
  });
  const rows =
    "SELECT count(*)::integer AS groups, max(version) AS version FROM user_group WHERE account_id = $1";
  expect(await commands.service.query(rows, [tenant.accountId])).toEqual([{ groups: count, version: 1 }]);
  await expect(commands.read("checkpoint.json")).rejects.toThrow("ENOENT");
});

test("a checkpoint applies only to its database, account and format", async () => {
  const tenant = await commands.createTenant();
  const groups = await commands.write("some.csv", 'provided_id,name\none,One\ntwo,"Tw"o\n');
  const checkpoint = commands.at("some.state");
  const expectResumed = async () => {
    const end = await tenant.import({ groups, checkpoint });
    expect(end.code).toBe(1);
    return end.stderr.includes("resuming after line 2");
  };
  expect(await expectResumed()).toBe(false);
  expect(await expectResumed()).toBe(true);
  const other = await tenant.other();
  expect((await other.import({ groups, checkpoint })).stderr).not.toContain("resuming after");
  expect(await expectResumed()).toBe(false);
  expect((await tenant.import({ groups, checkpoint, format: "jsonl" })).stderr).not.toContain(
    "resuming after",
  );
  expect(await expectResumed()).toBe(false);
  // Simulates another database where the account has the same name and number.
  const age = "UPDATE account SET created_at = created_at - interval '1 hour' WHERE id = $1";
  await commands.service.query(age, [tenant.accountId]);
  expect(await expectResumed()).toBe(false);
  expect(await tenant.import({ groups, checkpoint: "/dev/null" })).toMatchObject({
    code: 1,
    stderr: 'The checkpoint "/dev/null" is not a regular file. Choose another path.\n',
  });
});

test("CSV can be resumed at any record, with any line endings", async () => {
  const path = await commands.write(
    "mixed.csv",
    'provided_id,name\none,"One\r\n1"\ntwo,Two\r\nthree,Three\n',
  );
  const file = await openSourceFile(path, undefined, FILE_SHAPES.groups, process.stdin);
  const read = async (from: SourcePosition) => {
    const records: SourceRecord[] = [];
    for await (const record of file.records(from)) records.push(record);
    return records;
  };
  const all = await read(START);
  expect(all.map(({ content }) => content)).toMatchObject([{}, { name: "Two\r" }, { name: "Three" }]);
  for (const [index, { end, lastLine }] of all.entries()) {
    expect(await read({ offset: end, lines: lastLine })).toEqual(all.slice(index + 1));
  }
});

test("a dry run reports what the import would do, without building on rejected lines", async () => {
  const tenant = await commands.createTenant();
  const token = foreignToken();
  const dataSources = await commands.write("dry-sources.csv", "provided_id,name\nnameless,\n");
  const groups = await commands.write(
    "dry-groups.jsonl",
    toLines([
      { provided_id: "nameless" },
      { provided_id: "good", name: "Good" },
      { provided_id: "good", name: "Repeated", token },
      // The line before it does not have the token.
      { provided_id: "third", name: "Third", token },
      { provided_id: "mapped", name: "Mapped", mapping: { main: "nameless" } },
    ]),
  );
  const mappings = await commands.write(
    "dry-mappings.csv",
    "user_group_id,schema_id,data_source\nnameless,main,sales\ngood,main,sales\nmapped,main,sales\n",
  );
  const files = { dataSources, groups, mappings };
  const dry = await tenant.import({ ...files, dryRun: true });
  const end = await tenant.import(files);
  expect(dry.stderr).toBe(end.stderr);
  expect(countsOf(dry)).toEqual(countsOf(end));
  expect(countsOf(end)).toEqual({
    "data sources": [1, 0, 0, 0, 1],
    groups: [5, 2, 0, 0, 3],
    mappings: [3, 1, 0, 0, 2],
  });
});

describe("errors other than rejected lines", () => {
  test("a report file that cannot be opened is an error before the import, other write errors come with the result", async () => {
    const tenant = await commands.createTenant();
    const groups = await commands.write("few.jsonl", toLines([{ provided_id: "in", name: "In" }, { a: 1 }]));
    expect(await tenant.import({ groups, report: commands.at("no/report") })).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^Cannot write the report: ENOENT.*\n$/),
    });
    expect(await readGroup(commands, tenant, "in")).toBeNull();
    const end = await tenant.import({ groups, report: "/dev/full", json: true });
    expect(end).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("Cannot write the report: ENOSPC"),
    });
    expect(JSON.parse(end.stdout)).toMatchObject({
      failure: expect.stringContaining("ENOSPC"),
      groups: { created: 1, refused: 1 },
    });
  });

  test("tables that cannot be analyzed are reported once", async () => {
    const tenant = await commands.createTenant();
    const broken = (body: string) =>
      commands.service.query(
        `CREATE OR REPLACE FUNCTION analyze_imported() RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS '${body}'`,
      );
    await broken("BEGIN RAISE ''statement time-out'' USING ERRCODE = ''57014''; END");
    const records = Array.from({ length: 9000 }, (_, n) => ({ provided_id: `group ${n}`, name: "Group" }));
    const end = await tenant.import({ groups: await commands.write("large.jsonl", toLines(records)) });
    expect(end).toMatchObject({ code: 0 });
    expect(end.stderr).toMatch(/^The tables could not be analyzed, [^\n]+\n$/);
    expect(countsOf(end)).toEqual({ groups: [9000, 9000, 0, 0, 0] });
  });
});
