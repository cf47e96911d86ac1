import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startApp } from "../../src/app/app.js";
import { readPersistedQueries } from "../../src/app/persisted-queries-file.js";
import { readConfig } from "../../src/config/config.js";
import { OperatorError } from "../../src/domain/shared/operator-error.js";

const VIEWER = "{ viewer { environment } }";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "persisted-queries-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function write(content: string): Promise<string> {
  const path = join(folder, "documents.json");
  await writeFile(path, content);
  return path;
}

test("reads a file of documents by ID", async () => {
  const path = await write(JSON.stringify({ one: VIEWER, two: "query Two { viewer { accountName } }" }));
  const documents = await readPersistedQueries(path);
  expect(documents.find({ id: "one", text: undefined })).toBe(VIEWER);
  expect(documents.find({ id: undefined, text: VIEWER })).toBe(VIEWER);
  expect(documents.find({ id: "three", text: undefined })).toBeNull();
});

test.each([
  ["{", "is not JSON: "],
  ["[]", 'must be a JSON object such as {"<id>": "<document>"}.'],
  ['{"one": {"query": "{ viewer { environment } }"}}', "must be a JSON object such as"],
  [
    JSON.stringify({ one: VIEWER, two: "{ viewer { environment }" }),
    "contains the invalid document two: Syntax Error: ",
  ],
  [
    JSON.stringify({ one: "{\n  nothing\n}" }),
    'contains the invalid document one: Cannot query field "nothing"',
  ],
])("rejects a file with %s in one line", async (content, fault) => {
  const path = await write(content);
  await expect(readPersistedQueries(path)).rejects.toThrow(OperatorError);
  await expect(readPersistedQueries(path)).rejects.toThrow(`PERSISTED_QUERIES ${path} ${fault}`);
  await expect(readPersistedQueries(path)).rejects.toThrow(/^[^\n]+\.$/);
});

test("fails at startup, before any other step, when the file is missing", async () => {
  const path = join(folder, "missing.json");
  const dataDir = join(folder, "data");
  const config = readConfig({ PERSISTED_QUERIES: path, DATA_DIR: dataDir, PORT: "0" });
  const start = startApp(config, { write: () => true });
  await expect(start).rejects.toThrow(OperatorError);
  await expect(start).rejects.toThrow(`PERSISTED_QUERIES ${path} cannot be read: ENOENT`);
  await expect(access(dataDir)).rejects.toThrow("ENOENT");
});
