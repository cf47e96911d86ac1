import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { countsOf, foreignToken, startTransferCommands, toLines } from "../support/transfer/commands.js";

const GROUPS = 20_000;
const PIECES = 10;
/** Memory limit for a million groups (decision 45): each takes 32 bytes, plus a small constant. */
const MAX_MB = 300;

const commands = await startTransferCommands();

describe("unreadable input", () => {
  test("counts line breaks within CSV cells, and names the line of a broken quote", async () => {
    const tenant = await commands.createTenant();
    const text =
      '\ufeffprovided_id,name,properties\r\none,"Two\nlines",\r\n\r\ntwo,Two\r\nthree,Three,{]\r\nfour,Four,"{""a"": ""x""}"\r\n';
    const path = await commands.write("lines.csv", `${text}five,"Fi"ve,\r\nsix,Six,\r\n`);
    const broken = await tenant.import({ groups: path });
    expect(broken).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Cannot read ".*lines.csv": Invalid Closing Quote.* line 8.*\n$/),
    });
    const end = await tenant.import({ groups: await commands.write("lines.csv", text) });
    expect(end.code).toBe(1);
    expect(countsOf(end)).toEqual({ groups: [4, 2, 0, 0, 2] });
    expect(end.stderr.replaceAll(path, "F")).toMatch(
      /^F:5: invalid_csv: .*columns length is 3, got 2.*\nF:6: invalid_json: properties: .*\n$/,
    );
    expect(await tenant.read("one")).toMatchObject({ name: "Two\nlines" });
    expect(await tenant.read("four")).toMatchObject({ properties: { a: "x" } });
  });

  test.each([
    [{ groups: "missing.csv" }, /^Cannot read ".*missing.csv": ENOENT/],
    [{ groups: "groups.txt" }, /^The format of "groups.txt" is unknown. Add --format/],
    [{}, /^No file to import. Set --data-sources or --groups.$/],
    [{ dataSources: "-", groups: "-", format: "csv" }, /^Only one of the files/],
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
      stderr: expect.stringContaining("not valid for encoding utf-8"),
    });
    expect(await tenant.import({ account: "nobody", groups: latin })).toEqual({
      code: 1,
      stdout: "",
      stderr: 'Account "nobody" does not exist. Fix the name, or create it with `account create`.\n',
    });
  });
});

test("a killed import continues when it is repeated", async () => {
  const tenant = await commands.createTenant();
  const groups = await commands.write(
    "many.jsonl",
    toLines(Array.from({ length: 9000 }, (_, n) => ({ provided_id: `group ${n}`, name: `Group ${n}` }))),
  );
  const stored = async () => {
    const text =
      "SELECT count(*)::integer AS groups, max(version) AS version FROM user_group WHERE account_id = $1";
    const [row] = await commands.service.query(text, [tenant.accountId]);
    return row;
  };
  const broken = await tenant.launch("--groups", groups);
  while ((await stored()).groups === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  broken.kill("SIGKILL");
  await broken.ended;
  const [records, created = 0, updated, unchanged = 0, refused] =
    countsOf(await tenant.import({ groups }))["groups"] ?? [];
  expect({ records, updated, refused }).toEqual({ records: 9000, updated: 0, refused: 0 });
  expect(created + unchanged).toBe(9000);
  expect(unchanged).toBeGreaterThanOrEqual(1000);
  expect(await stored()).toEqual({ groups: 9000, version: 1 });
});

test("a dry run reports what the import would do, without building on rejected lines", async () => {
  const tenant = await commands.createTenant();
  const files = {
    dataSources: await commands.write("dry-sources.csv", "provided_id,name\nnameless,\nlake,Lake\n"),
    groups: await commands.write(
      "dry-groups.csv",
      'provided_id,name,mapping\nnameless,,\ngood,Good,"{""main"":""lake""}"\nmapped,Mapped,"{""main"":""nameless""}"\n',
    ),
  };
  const dry = await tenant.import({ ...files, dryRun: true });
  const end = await tenant.import(files);
  expect(dry.stderr).toBe(end.stderr);
  expect(countsOf(dry)).toEqual(countsOf(end));
  expect(countsOf(end)).toEqual({
    "data sources": [2, 1, 0, 0, 1],
    groups: [3, 1, 0, 0, 2],
  });
  // Nothing is changed in existing groups either.
  const changes = {
    dataSources: await commands.write("more-sources.csv", "provided_id,name\npond,Pond\n"),
    groups: await commands.write(
      "dry-changes.csv",
      'provided_id,name,properties,mapping\ngood,New,{},"{""main"":""pond""}"\n',
    ),
  };
  expect(countsOf(await tenant.import({ ...changes, dryRun: true }))).toEqual({
    "data sources": [1, 1, 0, 0, 0],
    groups: [1, 0, 1, 0, 0],
  });
  expect(await tenant.read("good")).toMatchObject({
    ...{ name: "Good", version: 1, properties: null },
    mapping: [{ dataSource: { providedId: "lake" } }],
  });
});

test.skipIf(process.platform !== "linux")(
  "the command's memory does not depend on any dimension of the file",
  async () => {
    const tenant = await commands.createTenant();
    const token = foreignToken();
    // Twice the usual length, so that a file held in memory would be noticed.
    const text = "x".repeat(3000);
    const records = (piece: number) =>
      Array.from({ length: GROUPS / PIECES }, (_, n) => ({
        provided_id: `group ${piece} ${n}`,
        name: `Group ${n}`,
        token: `${token}.${piece}.${n}`,
        properties: { text },
      }));
    const pieces = Array.from({ length: PIECES }, (_, piece) => toLines(records(piece)));
    const running = await tenant.launch("--groups", await commands.write("large.jsonl", pieces.join("")));
    let peakKb = 0;
    const timer = setInterval(async () => {
      const status = await readFile(`/proc/${running.pid}/status`, "utf8").catch(() => "");
      peakKb = Math.max(peakKb, Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0));
    }, 50);
    const end = await running.ended;
    clearInterval(timer);
    expect(end).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringMatching(/groups +20000 +20000 /),
    });
    expect(peakKb).toBeGreaterThan(0);
    expect((peakKb * 1024) / 1e6).toBeLessThan(MAX_MB);
  },
);

describe("errors other than rejected lines", () => {
  test("a report file that cannot be opened is an error before the import, other write errors come with the result", async () => {
    const tenant = await commands.createTenant();
    const groups = await commands.write("few.jsonl", toLines([{ provided_id: "in", name: "In" }, { a: 1 }]));
    expect(await tenant.import({ groups, report: commands.at("no/report") })).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^Cannot write the report: ENOENT.*\n$/),
    });
    expect(await tenant.read("in")).toBeNull();
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
