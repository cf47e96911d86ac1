import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { buildSchema, parse, validate } from "graphql";
import { expect, test } from "vitest";
import { VERSION } from "../../../clients/typescript/src/version.js";
import { generateOperations, operationTexts } from "../../support/clients/client-operations.js";

const root = new URL("../../../", import.meta.url);
const folder = new URL("clients/typescript/", root).pathname;

test("the client package's types match the schema", async () => {
  await expect(await generateOperations()).toMatchFileSnapshot(`${folder}src/generated/operations.ts`);
});

test("its PERSISTED_QUERIES list contains each document by hash", async () => {
  const documents = [...operationTexts().values()].map(({ text }) => [
    createHash("sha256").update(text).digest("hex"),
    text,
  ]);
  const list = `${JSON.stringify(Object.fromEntries(documents), null, 2)}\n`;
  await expect(list).toMatchFileSnapshot(`${folder}persisted-queries.json`);
});

test("the service accepts all of its documents", () => {
  const schema = buildSchema(readFileSync(new URL("schema.graphql", root), "utf8"));
  for (const { text } of operationTexts().values()) expect(validate(schema, parse(text))).toEqual([]);
});

test("it sends its own version", () => {
  expect(JSON.parse(readFileSync(`${folder}package.json`, "utf8"))).toMatchObject({ version: VERSION });
});
