import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { SiteConfigCode } from "../src/domain/site-config/site-config-codes.js";
import {
  validateSiteConfigDocument,
  validateSiteConfigText,
} from "../src/domain/site-config/validate-site-config.js";

/** Real files, kept outside the project. */
const folder = new URL("../../shared/site-config/real/", import.meta.url);
const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];

/** The only ones that decision 17 refuses, and why. */
const REFUSED: Readonly<Record<string, readonly (readonly [SiteConfigCode, string])[]>> = {
  "AetherLinkApp__aetherlink-docs__docs__mint.json": [["wrong_type", "/colors/background"]],
  "ml-in-barcelona__server-reason-react__documentation__mint.json": [["docs_json_format", "/navigation"]],
  "neus__network__docs__mint.json": [["docs_json_format", "/navigation"]],
  "neus__network__mint.json": [["docs_json_format", "/navigation"]],
};

test.skipIf(names.length === 0)("of the real files, only those that decision 17 names are refused", () => {
  expect(names.length).toBeGreaterThanOrEqual(112);
  const refused = names.flatMap((name) => {
    const { valid, errors } = validateSiteConfigText(read(name), { strict: false });
    return valid ? [] : [[name, errors.map(({ code, pointer }) => [code, pointer])]];
  });
  expect(Object.fromEntries(refused)).toEqual(REFUSED);
});

test.skipIf(names.length === 0)("text and parsed document of a real file bring the same findings", () => {
  for (const name of names) {
    const text = validateSiteConfigText(read(name), { strict: true });
    const document = validateSiteConfigDocument(JSON.parse(read(name)), { strict: true });
    expect(text.errors.map(({ line: _line, column: _column, ...finding }) => finding)).toEqual(
      document.errors,
    );
  }
});

test.skipIf(names.length === 0)("nothing is found twice, and all in the order of the document", () => {
  for (const name of names) {
    const { errors } = validateSiteConfigText(read(name), { strict: true });
    const findings = errors.map(({ code, pointer, message }) => `${code} ${pointer} ${message}`);
    expect(new Set(findings).size).toBe(findings.length);
    const places = errors.map(({ line = 0, column = 0 }) => line * 100_000 + column);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  }
});

function read(name: string): string {
  return readFileSync(new URL(name, folder), "utf8");
}
