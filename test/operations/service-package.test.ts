import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageVersion } from "../../src/app/package-version.js";
import { project } from "../support/service/build-cache.js";
import { validSite } from "../support/site-configs/documents.js";

const run = promisify(execFile);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "user-groups-package-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("the packed service is installed in an empty folder and runs with npx", async () => {
  const pack = ["pack", "--json", "--pack-destination", folder];
  const { stdout } = await run("npm", pack, { cwd: project, maxBuffer: 2 ** 26 });
  const [packed]: readonly { filename: string }[] = JSON.parse(stdout.slice(stdout.indexOf("[\n")));
  await writeFile(join(folder, "package.json"), '{ "private": true }');
  const file = join(folder, packed?.filename ?? "");
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  await run("npm", ["install", ...options, file], { cwd: folder });
  const npx = (...args: readonly string[]) =>
    run("npx", ["--no-install", "user-groups", ...args], { cwd: folder });
  expect((await npx("--version")).stdout).toBe(`${await packageVersion()}\n`);
  await writeFile(join(folder, "mint.json"), JSON.stringify(validSite));
  expect((await npx("site-config", "check", "--strict", "mint.json")).stdout).toMatch(
    /^1 file checked: 0 errors/,
  );
  // Loads the whole service.
  expect((await npx("openapi")).stdout).toContain('"openapi": "3.1.1"');
}, 600_000);
