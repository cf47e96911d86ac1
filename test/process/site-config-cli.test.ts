import { readFile } from "node:fs/promises";
import { checkFiles } from "@user-groups/site-config/check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { validSite } from "../../packages/site-config/test/documents.js";
import { createTestProcesses, failureOf } from "../support/service/running-process.js";
import {
  ACCOUNT_OPTIONS,
  type SiteConfigCommands,
  startSiteConfigCommands,
  stored,
  toFile,
} from "../support/site-configs/commands.js";

const processes = createTestProcesses();
let commands: SiteConfigCommands;
beforeAll(async () => {
  commands = await startSiteConfigCommands();
});
afterAll(async () => {
  await processes.close();
  await commands.close();
});

/** Returns the stored texts of an account, by environment and revision. */
async function textsOf({ accountId }: { readonly accountId: number }): Promise<unknown[]> {
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
  expect(await sites.put("odd.json")).toEqual(stored("revision 1 of default"));
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

test("put makes a site public, private, or leaves it unchanged", async () => {
  const { put, accountName } = await commands.createSites();
  const statusAfterPut = async (...args: readonly string[]) => {
    expect(await put("good.json", "--site", "a.b", ...args)).toMatchObject({ code: 0 });
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
  expect(await put("good.json", "--site", "a.b", "--public")).toEqual(
    stored(`revision 5 of a.b, public at /site-config/a.b?${new URLSearchParams({ account: accountName })}`),
  );
});

test("keeps environments separate", async () => {
  const sites = await commands.createSites();
  await sites.put("good.json");
  const put = await sites.put("renamed.json", "--environment", "Testing");
  expect(put).toEqual(stored("revision 1 of default"));
  const files = ["good.json", "renamed.json"].map((name) => readFile(commands.at(name), "utf8"));
  expect(await textsOf(sites)).toEqual(await Promise.all(files));
});

test("put does not store a file with errors and reports what check reports", async () => {
  const { put: run, accountId } = await commands.createSites();
  const put = async (file: string, ...args: readonly string[]) => {
    let output = "";
    const print = (text: string) => {
      output += text;
    };
    const options = { strict: args.includes("--strict"), format: "text" } as const;
    expect(await checkFiles([commands.at(file)], options, { input: process.stdin, print })).toBeGreaterThan(
      0,
    );
    expect(await run(file, ...args)).toEqual({
      code: 1,
      signal: null,
      stdout: "",
      stderr: output,
    });
    return output;
  };
  const outputs = await Promise.all([
    put("bad.json"),
    put("latin1.json"),
    put("none.json"),
    put("warned.json", "--strict"),
  ]);
  expect(outputs).toEqual([
    expect.stringContaining("bad.json:2:28: error wrong_type"),
    expect.stringContaining("latin1.json: error invalid_utf8"),
    expect.stringContaining("none.json: error unreadable_file"),
    expect.stringContaining("warned.json:16:3: error unknown_property"),
  ]);
  expect(
    await commands.service.query("SELECT id FROM site_config WHERE account_id = $1", [accountId]),
  ).toEqual([]);
  // Warnings go to stderr and leave stdout to the result.
  expect(await run("warned.json", "--site", "docs")).toEqual({
    ...stored("revision 1 of docs"),
    stderr: expect.stringMatching(
      /^\S+warned\.json:16:3: warning unknown_property: .*\n1 file checked: 0 errors, 1 warning, 0 notices\.\n$/,
    ),
  });
  await commands.write("huge.json", JSON.stringify({ ...validSite, name: "x".repeat(300_000) }));
  expect(failureOf(await run("huge.json"))).toBe("text must be at most 262144 bytes.");
});

test("an expected revision prevents overwriting other changes", async () => {
  const sites = await commands.createSites();
  const put = (expected: string) => sites.put("good.json", "--expected-revision", expected);
  expect(failureOf(await put("1"))).toBe(
    "The site configuration does not exist yet, but revision 1 was expected.",
  );
  expect(await put("0")).toEqual(stored("revision 1 of default"));
  expect(failureOf(await put("0"))).toBe("The site configuration exists already, at revision 1.");
  expect(await put("1")).toEqual(stored("revision 2 of default"));
  expect(failureOf(await put("1"))).toBe(
    "The site configuration is at revision 2, but revision 1 was expected.",
  );
});

test("wrong use is reported in one line", async () => {
  const { put } = await commands.createSites();
  const name =
    "site must be 1 to 64 of the characters A-Z, a-z, 0-9, `.`, `_` and `-`, the first a letter or digit.";
  const account = 'Account "no\\nbody" does not exist. Fix the name, or create it with `account create`.';
  const uses: readonly (readonly [exitCode: number, complaint: string, ...args: string[]])[] = [
    [1, account, "--account", "no\nbody"],
    ...["../../etc/passwd", "a\u001b[31m"].map((site) => [1, name, "--site", site] as const),
    [2, "cannot be used with option '--private'", "--public", "--private"],
    [2, "It must be a non-negative integer.", "--expected-revision", "-1"],
    [2, "It must not be empty.", "--site", ""],
  ];
  const check = async ([code, complaint, ...args]: (typeof uses)[number]) =>
    expect(failureOf(await put("good.json", ...args), code)).toContain(complaint);
  await Promise.all(uses.map(check));
});

test("check needs neither settings nor a database", async () => {
  const env = { DATA_DIR: commands.at("data"), PORT: "no port" };
  const [passed, failed, misused] = await Promise.all([
    processes.run(["site-config", "check", commands.at("good.json")], { env }),
    processes.run(["site-config", "check", commands.at("warned.json"), "--strict", "--format", "json"], {
      env,
    }),
    processes.run(["site-config", "check"], { env }),
  ]);
  expect(passed).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringContaining("1 file checked: 0 errors"),
  });
  expect(failed).toMatchObject({ code: 1, stderr: "" });
  expect(JSON.parse(failed.stdout)).toMatchObject({ files: [{ valid: false }] });
  expect(misused).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("missing required argument"),
  });
});
