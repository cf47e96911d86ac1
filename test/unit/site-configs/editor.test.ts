import { readFileSync } from "node:fs";
import { siteConfigJsonSchema } from "@user-groups/site-config";
import { beforeAll, expect, test } from "vitest";
import { getLanguageService, type JSONDocument, TextDocument } from "vscode-json-languageservice";
import { validSite } from "../../../packages/site-config/test/documents.js";

const SCHEMA_URL = "https://groups.example.com/schemas/site-config.json";
const service = getLanguageService({
  schemaRequestService: async (url) => {
    if (url === SCHEMA_URL) return JSON.stringify(siteConfigJsonSchema());
    throw new Error(`There is no schema at ${url}.`);
  },
});

function open(text: string, uri = "file:///docs/mint.json"): { text: TextDocument; json: JSONDocument } {
  const document = TextDocument.create(uri, "json", 1, text);
  return { text: document, json: service.parseJSONDocument(document) };
}

async function problemsOf(document: object | string): Promise<string[]> {
  const { text, json } = open(typeof document === "string" ? document : JSON.stringify(document, null, 2));
  return (await service.doValidation(text, json)).map(({ message }) =>
    typeof message === "string" ? message : message.value,
  );
}

async function completionsAt(marked: string): Promise<string[]> {
  const { text, json } = open(marked.replace("▮", ""));
  const list = await service.doComplete(text, text.positionAt(marked.indexOf("▮")), json);
  return (list?.items ?? []).map(({ label }) => label);
}

test("an editor checks a file that names the schema in $schema", async () => {
  expect(await problemsOf({ $schema: SCHEMA_URL, ...validSite })).toEqual([]);
  expect(await problemsOf({ ...validSite, colors: { primary: 5 } })).toEqual([]);
  const problems = await problemsOf({ $schema: SCHEMA_URL, name: "A", colors: { primary: "red" } });
  expect(problems).toEqual([
    expect.stringContaining('Missing property "navigation"'),
    expect.stringContaining("does not match the pattern"),
  ]);
});

test("it completes properties and values and shows descriptions", async () => {
  const start = `{ "$schema": "${SCHEMA_URL}",`;
  expect(await completionsAt(`${start} "▮" }`)).toEqual(
    expect.arrayContaining(["navigation", "topbarCtaButton", "analytics"]),
  );
  expect(await completionsAt(`${start} "modeToggle": { "default": ▮ } }`)).toEqual(
    expect.arrayContaining(['"light"', '"dark"']),
  );
  const { text, json } = open(`${start} "favicon": "/f.svg" }`);
  const hover = await service.doHover(text, text.positionAt(text.getText().indexOf("favicon") + 1), json);
  expect(JSON.stringify(hover?.contents)).toContain("Path of the favicon");
});

/** The settings of VS Code in the guide. */
let settings: { readonly "json.schemas": { readonly fileMatch: string[]; readonly url: string }[] };
beforeAll(() => {
  const guide = readFileSync(new URL("../../../docs/site-config-store.md", import.meta.url), "utf8");
  const [, snippet = ""] = /```json\n([^`]*json\.schemas[^`]*)```/.exec(guide) ?? [];
  settings = JSON.parse(snippet);
});

test("the guide's settings of VS Code check a file without $schema", async () => {
  const [{ fileMatch, url } = { fileMatch: [], url: "" }] = settings["json.schemas"];
  service.configure({
    schemas: [{ fileMatch, uri: url, schema: JSON.parse(JSON.stringify(siteConfigJsonSchema())) }],
  });
  expect(await problemsOf(validSite)).toEqual([]);
  expect(await problemsOf({ ...validSite, name: 5 })).toEqual([expect.stringContaining("Incorrect type")]);
});
