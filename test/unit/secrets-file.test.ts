import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { OperatorError } from "../../src/domain/shared/operator-error.js";
import { openSecretsFile, saveDemoKey } from "../../src/embedded-postgres/secrets-file.js";
import { createTestProcesses } from "../support/service/running-process.js";

const processes = createTestProcesses();
afterAll(() => processes.close());

test("concurrent callers that create a secrets file agree on its contents, which persist", async () => {
  const dataDir = await processes.newDataDir();
  const [first, ...others] = await Promise.all(Array.from({ length: 8 }, () => openSecretsFile(dataDir)));
  expect(first?.databasePassword).toMatch(/^[\w-]{32}$/);
  expect(first?.encryptionKeys[0]).toHaveLength(32);
  for (const other of [...others, await openSecretsFile(dataDir)]) expect(other).toEqual(first);
  expect(await readdir(dataDir)).toEqual(["secrets.json"]);
});

test("restricts a secrets file that other users can read", async () => {
  const dataDir = await processes.newDataDir();
  await openSecretsFile(dataDir);
  await chmod(join(dataDir, "secrets.json"), 0o644);
  await openSecretsFile(dataDir);
  expect((await stat(join(dataDir, "secrets.json"))).mode & 0o777).toBe(0o600);
});

test.each([
  ["", "empty"],
  ["{", "cut off"],
  ['{ "databasePassword": "x", "encryptionKeys": [] }', "without keys"],
  ['{ "databasePassword": "x", "encryptionKeys": ["c2hvcnQ="] }', "with a short key"],
])("rejects a damaged secrets file and leaves it unchanged: %j, %s", async (text) => {
  const dataDir = await processes.newDataDir();
  await openSecretsFile(dataDir);
  const path = join(dataDir, "secrets.json");
  await writeFile(path, text);
  const opened = openSecretsFile(dataDir);
  await expect(opened).rejects.toThrow(OperatorError);
  await expect(opened).rejects.toThrow(`${path} is damaged`);
  expect(await readFile(path, "utf8")).toBe(text);
});

test("adds the demo account's key to the other secrets and reads it back", async () => {
  const dataDir = await processes.newDataDir();
  const path = join(dataDir, "secrets.json");
  const before = await openSecretsFile(dataDir);
  expect(before.demoKey).toBeUndefined();
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, "utf8")), later: "kept" }));
  await saveDemoKey(dataDir, "ugk_live_one");
  await saveDemoKey(dataDir, "ugk_live_two");
  expect(await openSecretsFile(dataDir)).toEqual({ ...before, demoKey: "ugk_live_two" });
  expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ later: "kept" });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(dataDir)).toEqual(["secrets.json"]);
});
