import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { siteConfigJsonSchema } from "../src/json-schema.js";
import { noisySiteConfig, validSiteConfig } from "./arbitrary.js";
import { checkDocument, validSite } from "./documents.js";

const accepts = new Ajv2020({ strict: true, strictRequired: false }).compile(siteConfigJsonSchema());

test("validator and JSON Schema agree on validity", () => {
  const seen = { valid: 0, invalid: 0 };
  fc.assert(
    fc.property(noisySiteConfig(), (document) => {
      const { valid } = checkDocument(document);
      seen[valid ? "valid" : "invalid"] += 1;
      expect(accepts(document)).toBe(valid);
    }),
    { numRuns: 3000 },
  );
  // Both verdicts must occur often.
  expect(Math.min(seen.valid, seen.invalid)).toBeGreaterThan(400);
});

test("both accept generated valid documents", () => {
  fc.assert(
    fc.property(validSiteConfig(), (document) => {
      expect(checkDocument(document).errors).toEqual([]);
      expect(accepts(document)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

describe("rules that the schema cannot express", () => {
  test.each([
    ["text that cannot be stored", { ...validSite, name: "a\u0000" }],
    ["nesting depth", { ...validSite, deep: JSON.parse("[".repeat(300) + "]".repeat(300)) }],
  ])("%s", (_, document) => {
    expect(checkDocument(document).valid).toBe(false);
    expect(accepts(document)).toBe(true);
  });
});

test("the schema contains descriptions, defaults, values and deprecations for editors", () => {
  const schema = siteConfigJsonSchema();
  expect(schema).toMatchObject({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    required: ["name", "navigation"],
    properties: {
      topAnchor: {
        properties: {
          name: { type: "string", default: "Documentation", description: expect.any(String) },
          iconType: { default: "duotone", enum: expect.arrayContaining(["brands", "thin", "regular"]) },
        },
      },
      api: { properties: { maintainOrder: { deprecated: true } } },
    },
  });
  expect(JSON.stringify(schema)).not.toContain("additionalProperties");
});
