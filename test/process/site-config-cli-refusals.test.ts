import { afterAll, beforeAll, expect, test } from "vitest";
import { checkSiteConfigs } from "../../src/cli/site-configs/files.js";
import { failureOf } from "../support/service/process-failure.js";
import {
  type SiteConfigCommands,
  startSiteConfigCommands,
  stored,
} from "../support/site-configs/commands.js";
import { validSite } from "../support/site-configs/documents.js";

const NO_SITE =
  "site must be 1 to 64 of the characters A-Z, a-z, 0-9, `.`, `_` and `-`, the first a letter or digit.";

let commands: SiteConfigCommands;
beforeAll(async () => {
  commands = await startSiteConfigCommands();
});
afterAll(() => commands.close());

test("put does not store a file with errors and reports what validate reports", async () => {
  const { run, accountId } = await commands.createSites();
  const put = async (file: string, ...args: readonly string[]) => {
    let output = "";
    const print = (text: string) => {
      output += text;
    };
    const options = { strict: args.includes("--strict"), format: "text" } as const;
    const code = await checkSiteConfigs([commands.at(file)], options, { input: process.stdin, print });
    expect(code).toBe(1);
    expect(await run("put", commands.at(file), ...args)).toEqual({
      code,
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
  expect(await run("put", commands.at("warned.json"), "--site", "docs")).toEqual({
    ...stored("revision 1 of docs"),
    stderr: expect.stringMatching(
      /^\S+warned\.json:16:3: warning unknown_property: .*\n.*\n.*\^\n1 file checked: 0 errors, 1 warning, 0 notices\.\n$/,
    ),
  });
  await commands.write("huge.json", JSON.stringify({ ...validSite, name: "x".repeat(300_000) }));
  expect(failureOf(await run("put", commands.at("huge.json")))).toBe("text must be at most 262144 bytes.");
});

test("an expected revision prevents overwriting other changes", async () => {
  const { run } = await commands.createSites();
  const put = (expected: string) => run("put", commands.at("good.json"), "--expected-revision", expected);
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

test("an unknown account or a wrong site is reported in one line", async () => {
  const { run } = await commands.createSites();
  const uses = [
    [
      ["--account", "no\nbody"],
      'Account "no\\nbody" does not exist. Fix the name, or create it with `account create`.',
    ],
    ...["..", "a\u001b[31m"].map((site) => [["--site", site], NO_SITE] as const),
  ] as const;
  const complain = async ([args, complaint]: (typeof uses)[number]) =>
    expect(failureOf(await run("put", commands.at("good.json"), ...args))).toBe(complaint);
  await Promise.all(uses.map(complain));
});

test("invalid usage exits 2 with an error", async () => {
  const { run } = await commands.createSites();
  const uses = [
    [["put", commands.at("good.json"), "--public", "--private"], "cannot be used with option '--private'"],
    [["put", commands.at("good.json"), "--expected-revision", "-1"], "It must be a non-negative integer."],
    [["put", commands.at("good.json"), "--site", ""], "It must not be empty."],
  ] as const;
  const complain = async ([[command, ...args], complaint]: (typeof uses)[number]) => {
    expect(failureOf(await run(command, ...args), 2)).toContain(complaint);
  };
  await Promise.all(uses.map(complain));
});
