import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { publint } from "publint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { validSite } from "../../packages/site-config/test/documents.js";
import { snippetsOf } from "../support/repository/doc-snippets.js";
import { COMPILED_PACKAGES, compileService } from "../support/service/compiled-service.js";

const snippets = snippetsOf("packages/site-config/README.md");
const codeIn = (language: string) => snippets.find((snippet) => snippet.language === language)?.code ?? "";

let folder: string;
const run = (command: string, args: readonly string[], input = "") =>
  spawnSync(command, args, { cwd: folder, input, encoding: "utf8" });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ug-site-config-package-"));
  const compiled = join(await compileService(), COMPILED_PACKAGES["packages/site-config"]);
  const { stdout } = run("npm", ["pack", "--json", "--ignore-scripts", compiled]);
  const [packed]: readonly { filename: string }[] = JSON.parse(stdout);
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  const installed = run("npm", ["install", ...options, `./${packed?.filename}`]);
  expect(installed).toMatchObject({ status: 0 });
});
afterAll(() => rm(folder, { recursive: true }));

test("publint reports no problem", async () => {
  const { messages } = await publint({
    pkgDir: join(folder, "node_modules", "@user-groups", "site-config"),
    pack: false,
    strict: true,
  });
  expect(messages).toEqual([]);
});

test("the README's code prints what it says", async () => {
  const code = codeIn("ts");
  await writeFile(join(folder, "example.js"), code);
  const [, file = ""] = /validateSiteConfig\('(.*)'\)/.exec(code) ?? [];
  expect(run(process.execPath, ["example.js"]).stdout).toBe(
    [...code.matchAll(/^\/\/ (\d.*)$/gm)].map(([, line]) => `${line}\n`).join(""),
  );
  await writeFile(join(folder, "mint.json"), file);
  const command = run("npx", ["--no-install", "site-config", "check", "mint.json"]);
  expect(command).toMatchObject({ status: 1, stdout: codeIn("text"), stderr: "" });
});

test("pages need nothing of Node.js", async () => {
  const entry = 'export { validateSiteConfig } from "@user-groups/site-config";';
  const { errors, outputFiles } = await build({
    stdin: { contents: entry, resolveDir: folder },
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
  });
  expect(errors).toEqual([]);
  expect(outputFiles[0]?.text).not.toMatch(/node:|process\.|Buffer/);
});

test("the command's exit code is 1 for errors in a file and 2 for wrong arguments", async () => {
  const program = join("node_modules", ".bin", "site-config");
  const warned = JSON.stringify({ ...validSite, sections: {} });
  expect(run(program, ["check", "-"], warned)).toMatchObject({ status: 0, stderr: "" });
  const strict = run(program, ["check", "--strict", "--json", "-"], warned);
  expect(strict).toMatchObject({ status: 1, stderr: "" });
  expect(JSON.parse(strict.stdout)).toMatchObject({ files: [{ file: "<stdin>", valid: false }] });
  expect(run(program, ["check", "none.json"])).toMatchObject({ status: 2, stderr: "" });
  const wrong = [
    [],
    ["validate", "a"],
    ["check"],
    ["check", "--loud", "a"],
    ["check", "--format", "xml", "a"],
  ];
  for (const args of wrong) {
    const { status, stdout, stderr } = run(program, args);
    expect([status, stdout, stderr]).toEqual([2, "", expect.stringContaining("Usage: site-config check")]);
  }
  expect(run(program, ["--help"])).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage:/) });
});
