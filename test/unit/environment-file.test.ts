import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { validSite } from "../../packages/site-config/test/documents.js";
import { formatEnvironmentFile, readEnvironmentFile } from "../../src/cli/configuration/file.js";
import { environmentFileSchema } from "../../src/cli/configuration/file-format.js";

const folder = await mkdtemp(join(tmpdir(), "ug-environment-"));
afterAll(() => rm(folder, { recursive: true }));

async function read(text: string, name = "environment.yaml") {
  const path = join(folder, name);
  await writeFile(path, text);
  return readEnvironmentFile(path);
}

test("the published JSON Schema is that of the file", async () => {
  const text = `${JSON.stringify(environmentFileSchema(), null, 2)}\n`;
  await expect(text).toMatchFileSnapshot("../../docs/reference/environment-file.schema.json");
});

test("every text survives the file", async () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc
      .array(fc.constantFrom("a", " ", "\n", "\r", "\t", "#", ":", "- ", "\u0085", "\u2028", "'", '"', "\\"))
      .map((all) => all.join("")),
  );
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const template = {
        name: "a",
        algorithm: "ES256" as const,
        description: text,
        claims: { [`${text}_`]: text },
      };
      const file = formatEnvironmentFile(
        { version: 1, sessionTemplates: [template] },
        "https://groups.example.com",
      );
      expect(await read(file)).toMatchObject({ sessionTemplates: [template] });
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["version: 1\nsources: []\n", "Unrecognized key"],
  ["version: 2\n", "version: "],
  [
    "version: 1\ndataSources:\n  - providedId: a\n    name: A\n    id: 3\n",
    "dataSources.0: Unrecognized key",
  ],
  [
    "version: 1\nsites:\n  - { name: a, text: '{}', file: a.json }\n",
    "sites.0.text: or `file` is required, but not both",
  ],
  [
    "version: 1\nwebhookEndpoints:\n  - { name: a, url: 'https://a.example' }\n  - { name: a, url: 'https://b.example' }\n",
    "webhookEndpoints.1.name: is used by an earlier entry",
  ],
  [
    "version: 1\nwebhookEndpoints:\n  - { name: a, url: 'https://a.example#b' }\n",
    "webhookEndpoints.0.url: must have no fragment",
  ],
  ["version: 1\nversion: 1\n", 'The key "version" is repeated.'],
  ["version: 1\n__proto__: 1\n", "The key __proto__ is not allowed."],
  ["a: &a [x]\nb: [*a, *a]\n", "Anchors, aliases and tags are not allowed."],
  [`a: ${"&a ".repeat(300_000)}`, "Anchors, aliases and tags are not allowed."],
  ["a: !!js/function x\n", "Anchors, aliases and tags are not allowed."],
  [`${"[".repeat(100_000)}\n`, "It is nested more than 100 levels deep."],
  [`${"- ".repeat(100_000)}\n`, "It is nested more than 100 levels deep."],
  [`[${"1,".repeat(400_000)}]`, "It has too many values."],
  [`# ${"x".repeat(1024 * 1024)}`, "it has more than 1048576 bytes"],
  [
    "version: 1\nsessionTemplates:\n  - { name: a, algorithm: ES256, claims: { n: 9007199254740993 } }\n",
    "The number 9007199254740993 is not kept",
  ],
  [
    "version: 1\nsessionTemplates:\n  - { name: a, algorithm: ES256, claims: { n: .inf } }\n",
    "The number .inf is not kept",
  ],
  [
    "version: 1\nsessionTemplates:\n  - { name: a, algorithm: HS256, claims: {} }\n",
    "sessionTemplates.0.secret: is required with HS256",
  ],
  ["version: 1\nsites:\n  - { name: a, text: '{' }\n", 'site "a"'],
  ["", "Invalid input"],
  ["a: b: c", "Nested mappings"],
  ["version: 1\n---\nversion: 1\n", "multiple documents"],
])("a file is refused: %.60s", async (text, reason) => {
  await expect(read(text)).rejects.toThrow(reason);
});

test("a text outside of the file's folder is refused", async () => {
  await mkdir(join(folder, "in"));
  for (const name of ["site.json", "in/site.json"])
    await writeFile(join(folder, name), JSON.stringify(validSite));
  await symlink("../site.json", join(folder, "in", "link.json"));
  const withFile = (file: string) =>
    read(`version: 1\nsites:\n  - { name: docs, file: ${file} }\n`, "in/environment.yaml");
  for (const file of ["../site.json", join(folder, "site.json"), "link.json", "."])
    await expect(withFile(file)).rejects.toThrow("outside of the folder");
  await expect(withFile("none.json")).rejects.toThrow("does not exist");
  expect(await withFile("./site.json")).toMatchObject({ sites: [{ name: "docs", isPublic: false }] });
});
