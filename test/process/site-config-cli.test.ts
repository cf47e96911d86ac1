import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  ACCOUNT_OPTIONS,
  type SiteConfigCommands,
  startSiteConfigCommands,
  stored,
  type TestSites,
  toFile,
} from "../support/site-configs/commands.js";
import { validSite } from "../support/site-configs/documents.js";

let commands: SiteConfigCommands;
beforeAll(async () => {
  commands = await startSiteConfigCommands();
});
afterAll(() => commands.close());

/** Returns the stored texts of an account, by environment and revision. */
async function textsOf({ accountId }: TestSites): Promise<unknown[]> {
  const rows = await commands.service.query(
    "SELECT text FROM site_config_revision WHERE account_id = $1 ORDER BY environment, revision",
    [accountId],
  );
  return rows.map(({ text }) => text);
}

test("put stores a file byte for byte, however it is formatted, also from standard input", async () => {
  const sites = await commands.createSites();
  const odd =
    '\r\n{ "name" :"Größe 🙂 \\u00e9 / \\/",\r\n\t"navigation":[ {"group":"A","pages":["a" ,"b"]}],\n' +
    '"favicon": "/f.svg" , "colors":{"primary":"#0AF"  }}  \r\n\n';
  await commands.write("odd.json", odd);
  expect(await sites.run("put", commands.at("odd.json"))).toEqual(stored("revision 1 of default"));
  const pages = Array.from({ length: 5_000 }, (_, page) => `guides/größe-${page}/start`);
  const large = toFile({ ...validSite, navigation: [{ group: "All", pages }] });
  await commands.write("large.json", large);
  const put = await sites.shell(`cat large.json | $CLI site-config put - ${ACCOUNT_OPTIONS}`);
  expect({ ...put, stdout: put.stdout.toString() }).toEqual({
    stdout: "stored revision 2 of default\n",
    stderr: "",
  });
  expect(await textsOf(sites)).toEqual([odd, large]);

  // More than a pipe holds, for a slow reader and one that stops early.
  const read = `$CLI graphql '{ siteConfig { text } }' ${ACCOUNT_OPTIONS}`;
  const { stdout: slow } = await sites.shell(`${read} | (sleep 2; cat)`);
  expect(JSON.parse(slow.toString())).toEqual({ siteConfig: { text: large } });
  const begun = await sites.shell(`${read} | head -c 3`);
  expect(begun).toEqual({ stdout: Buffer.from("{\n "), stderr: "" });
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

test("keeps environments separate", async () => {
  const sites = await commands.createSites();
  await sites.run("put", commands.at("good.json"));
  const put = await sites.run("put", commands.at("renamed.json"), "--environment", "Testing");
  expect(put).toEqual(stored("revision 1 of default"));
  const files = ["good.json", "renamed.json"].map((name) => readFile(commands.at(name), "utf8"));
  expect(await textsOf(sites)).toEqual(await Promise.all(files));
});
