import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { failureOf } from "../support/service/process-failure.js";
import {
  ACCOUNT_OPTIONS,
  type SiteConfigCommands,
  startSiteConfigCommands,
  stored,
  toFile,
} from "../support/site-configs/commands.js";
import { validSite } from "../support/site-configs/documents.js";

let commands: SiteConfigCommands;
beforeAll(async () => {
  commands = await startSiteConfigCommands();
});
afterAll(() => commands.close());

test("returns a file byte for byte, however it is formatted", async () => {
  const { run, shell } = await commands.createSites();
  const odd =
    '\r\n{ "name" :"Größe 🙂 \\u00e9 / \\/",\r\n\t"navigation":[ {"group":"A","pages":["a" ,"b"]}],\n' +
    '"favicon": "/f.svg" , "colors":{"primary":"#0AF"  }}  \r\n\n';
  await commands.write("odd.json", odd);
  expect(await run("put", commands.at("odd.json"))).toEqual(stored("revision 1 of default"));
  const { stdout } = await shell(`$CLI site-config get ${ACCOUNT_OPTIONS}`);
  expect(stdout).toEqual(Buffer.from(odd));
});

test("pipes a large text, also to slow readers and to readers that stop early", async () => {
  const { shell } = await commands.createSites();
  const pages = Array.from({ length: 40_000 }, (_, page) => `guides/größe-${page}/start`);
  await commands.write("large.json", toFile({ ...validSite, navigation: [{ group: "All", pages }] }));
  const large = await readFile(commands.at("large.json"));
  expect(large.length).toBeGreaterThan(1_000_000);
  const put = await shell(`cat large.json | $CLI site-config put - ${ACCOUNT_OPTIONS}`);
  expect({ ...put, stdout: put.stdout.toString() }).toEqual({
    stdout: "stored revision 1 of default\n",
    stderr: "",
  });
  const { stdout: slow } = await shell(`$CLI site-config get ${ACCOUNT_OPTIONS} | (sleep 2; cat)`);
  expect(slow.equals(large)).toBe(true);
  const begun = await shell(`$CLI site-config get ${ACCOUNT_OPTIONS} | head -c 10`);
  expect(begun).toEqual({ stdout: large.subarray(0, 10), stderr: "" });
});

test("put refuses the name of a new site that is no file name", async () => {
  const { run } = await commands.createSites();
  for (const site of ["../../etc/passwd", "a b", ".a", "a".repeat(65)]) {
    expect(await run("put", commands.at("good.json"), "--site", site)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("site must be 1 to 64 of the characters"),
    });
  }
});

test("put makes a site public, private, or leaves it unchanged", async () => {
  const { run, accountName } = await commands.createSites();
  const statusAfterPut = async (...args: readonly string[]) => {
    expect(await run("put", commands.at("good.json"), "--site", "a.b", ...args)).toMatchObject({ code: 0 });
    return statusOf("");
  };
  const path = `/site-config/a.b?account=${encodeURIComponent(accountName)}`;
  const statusOf = async (query: string) => (await fetch(`${commands.service.url}${path}${query}`)).status;
  expect(await statusAfterPut()).toBe(404);
  expect(await statusAfterPut("--public")).toBe(200);
  expect(await statusAfterPut()).toBe(200);
  expect(await Promise.all(["1", "2", "3"].map((number) => statusOf(`&revision=${number}`)))).toEqual([
    404, 200, 200,
  ]);
  expect(await statusAfterPut("--private")).toBe(404);
  expect(await run("put", commands.at("good.json"), "--site", "a.b", "--public")).toEqual(
    stored(`revision 5 of a.b, public at /site-config/a.b?${new URLSearchParams({ account: accountName })}`),
  );
});

test("lists, compares and restores revisions", async () => {
  const { run } = await commands.createSites();
  await run("put", commands.at("good.json"));
  await run("put", commands.at("renamed.json"), "--author", "Ann \u001b[31m");
  expect(await run("restore", "1", "--author", "Bob")).toEqual(
    stored("revision 3 of default, restored from revision 1"),
  );
  const { stdout } = await run("log");
  const [good, renamed] = await Promise.all([
    readFile(commands.at("good.json")),
    readFile(commands.at("renamed.json")),
  ]);
  expect(stdout.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "<time>").split(/\n| {2,}/)).toEqual([
    ...["REVISION", "WRITTEN", "AUTHOR", "BYTES", "NOTE"],
    ...["3", "<time>", "Bob (no API key)", String(good.length), "restored from 1"],
    ...["2", "<time>", "Ann \ufffd[31m (no API key)", String(renamed.length)],
    ...["1", "<time>", "cli (no API key)", String(good.length), ""],
  ]);

  const diff = [
    "[",
    '  {"op":"replace","path":"/name","value":"Other"},',
    '  {"op":"add","path":"/logo","value":"/a~b.svg"}',
    "]",
    "",
  ].join("\n");
  const [changed, toCurrent, first, current] = await Promise.all([
    run("diff", "1", "2"),
    run("diff", "1"),
    run("get", "--revision", "2"),
    run("get"),
  ]);
  expect(changed).toEqual({ code: 0, signal: null, stdout: diff, stderr: "" });
  expect(toCurrent).toEqual({ code: 0, signal: null, stdout: "[]\n", stderr: "" });
  expect([first.stdout, current.stdout]).toEqual([renamed.toString(), good.toString()]);
});

test("lists all revisions when there are many", async () => {
  const { run, accountId } = await commands.createSites();
  await run("put", commands.at("good.json"));
  const statement = `INSERT INTO site_config_revision
        (account_id, environment, site_config_id, revision, text, hash, author, author_key_id, created_at)
      SELECT account_id, environment, site_config_id, number, text, hash, author, 1, created_at
      FROM site_config_revision, generate_series(2, 230) AS number WHERE account_id = $1`;
  await commands.service.query(statement, [accountId]);
  const rows = (await run("log")).stdout.trimEnd().split("\n").slice(1);
  expect(rows.map((row) => Number.parseInt(row, 10))).toEqual(
    Array.from({ length: 230 }, (_, index) => 230 - index),
  );
  // All but the first were created with a key.
  const authors = rows.map((row) => row.split(/ {2,}/)[2]);
  expect(authors).toEqual([...Array.from({ length: 229 }, () => "cli"), "cli (no API key)"]);
});

test("keeps environments separate", async () => {
  const { run } = await commands.createSites();
  await run("put", commands.at("good.json"));
  const testing = ["--environment", "Testing"];
  expect(failureOf(await run("get", ...testing))).toBe(
    'The site "default" has no configuration in the environment Testing.',
  );
  expect(await run("put", commands.at("renamed.json"), ...testing)).toEqual(stored("revision 1 of default"));
  expect((await run("get")).stdout).toBe(await readFile(commands.at("good.json"), "utf8"));
});
