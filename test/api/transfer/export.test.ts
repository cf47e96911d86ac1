import { mkdir, stat } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import {
  countsOf,
  foreignToken,
  startTransferCommands,
  type TransferCommands,
  toLines,
} from "../../support/transfer/commands.js";

const commands = await startTransferCommands();
/** Another installation, with its own database and key. */
const elsewhere = await startTransferCommands();
const tenant = await commands.createTenant();
const GROUPS = 1003;
const token = foreignToken();

beforeAll(async () => {
  const special = {
    provided_id: 'a "quoted", id\nof two lines',
    name: " =1+1; ünïcode 🚀 ",
    token,
    properties: { z: [1, { y: null }], a: 'x"\n', __proto__x: 1.5 },
    mapping: { "schema, one": "sales", two: "support" },
  };
  const many = Array.from({ length: GROUPS - 1 }, (_, n) => ({
    provided_id: `group ${n}`,
    name: `Group ${n}`,
    ...(n % 2 === 0 ? { properties: {} } : {}),
    ...(n % 3 === 0 ? { mapping: { main: "sales" } } : {}),
  }));
  await tenant.import({ groups: await commands.write("in.jsonl", toLines([special, ...many])) });
});

test.each(["jsonl", "csv"] as const)(
  "a %s export can be imported elsewhere and exported again identically",
  async (format) => {
    const paths = (from: TransferCommands, name: string) => ({
      dataSources: from.at(`${name}-sources.${format}`),
      groups: from.at(`${name}-groups.${format}`),
    });
    const written = paths(commands, "out");
    const end = await tenant.export({ ...written, withTokens: true });
    expect(end).toMatchObject({ code: 0, stdout: "" });
    expect(end.stderr.split("\n").map((line) => line.split(": ")[1])).toEqual([
      "2 data sources",
      `${GROUPS} groups`,
      undefined,
    ]);
    const other = await elsewhere.createTenant(format === "csv" ? "Testing" : "Customer");
    expect(countsOf(await other.import(written))).toEqual({
      "data sources": [2, 0, 0, 2, 0],
      groups: [GROUPS, GROUPS, 0, 0, 0],
    });
    const again = paths(elsewhere, "again");
    await other.export({ ...again, withTokens: true });
    for (const kind of ["sources", "groups"]) {
      const text = await commands.read(`out-${kind}.${format}`);
      expect(text.length).toBeGreaterThan(30);
      expect(await elsewhere.read(`again-${kind}.${format}`)).toBe(text);
    }
    expect(await other.viewer(token)).toMatchObject({
      body: { data: { viewer: { userGroup: { name: " =1+1; ünïcode 🚀 " } } } },
    });
    expect(countsOf(await tenant.import(written))["groups"]).toEqual([GROUPS, 0, 0, GROUPS, 0]);
    await elsewhere.service.query("DELETE FROM user_group");
  },
);

test("exports tokens only on request, to a file that only its owner can read", async () => {
  const path = commands.at("modes.jsonl");
  await commands.write("modes.jsonl", "");
  await tenant.export({ groups: path });
  expect(await commands.read("modes.jsonl")).not.toContain("token");
  const [first = ""] = (await commands.read("modes.jsonl")).split("\n");
  expect(Object.keys(JSON.parse(first))).toEqual(["provided_id", "name", "properties", "mapping"]);
  await tenant.export({ groups: path, withTokens: true });
  expect(await commands.read("modes.jsonl")).toContain(token);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("reports a file that cannot be written, and leaves none behind", async () => {
  const end = await tenant.export({ groups: commands.at("no/such/folder.csv") });
  expect(end).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^Cannot write ".*": ENOENT.*\n$/),
  });
  await mkdir(commands.at("folder.csv"));
  expect(await tenant.export({ groups: commands.at("folder.csv") })).toEqual({
    code: 1,
    stdout: "",
    stderr: expect.stringMatching(/^Cannot write ".*folder.csv": it is not a regular file\..*\n$/),
  });
  expect(await tenant.export({})).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^No file to export to/),
  });
});

test.each(["jsonl", "csv"] as const)("%s files keep properties as the text that was sent", async (format) => {
  const text =
    '{"b":1.0,"10":123456789012345678901234567890,"2":{"z":-0,"a":[1E+2,1e400]},"e":"\\u00e9 é","d":1,"d":2}';
  const from = await commands.createTenant();
  const lines = `{"provided_id":"exact","name":"Exact", "properties" : ${text} ,"mapping":null}\n`;
  expect(countsOf(await from.import({ groups: await commands.write("exact.jsonl", lines) }))).toEqual({
    groups: [1, 1, 0, 0, 0],
  });
  const groups = commands.at(`exact-out.${format}`);
  await from.export({ groups });
  const cell = `"${text.replaceAll('"', '""')}"`;
  expect(await commands.read(`exact-out.${format}`)).toContain(
    format === "csv" ? cell : `"properties":${text},`,
  );
  const to = await elsewhere.createTenant();
  expect(countsOf(await to.import({ groups }))).toEqual({ groups: [1, 1, 0, 0, 0] });
  const stored = "SELECT properties::text AS text FROM user_group WHERE account_id = $1";
  expect(await elsewhere.service.query(stored, [to.accountId])).toEqual([{ text }]);
  expect(countsOf(await to.import({ groups }))).toEqual({ groups: [1, 0, 0, 1, 0] });
});
