import { readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { packageVersion } from "../../../src/app/package-version.js";
import { openApiDocument, printOpenApi } from "../../../src/http/openapi/document.js";

const VERSION = await packageVersion();

const document = openApiDocument(VERSION);

test("openapi.json is current: npm run schema:write", () => {
  expect(readFileSync(new URL("../../../openapi.json", import.meta.url), "utf8")).toBe(printOpenApi(VERSION));
});

test("the linter reports no errors and no warnings", async () => {
  const config = await createConfig({
    extends: ["recommended-strict"],
    // The service is not published.
    rules: {
      "info-license": "off",
      // OpenAPI prefers `/site-config/validate` to `/site-config/{site}`, which has no POST.
      "no-ambiguous-paths": "off",
    },
  });
  const problems = await lintFromString({
    source: printOpenApi(VERSION),
    absoluteRef: "/openapi.json",
    config,
  });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
    [],
  );
});

test("the linter detects a problem", async () => {
  const config = await createConfig({ extends: ["recommended-strict"] });
  const source = printOpenApi(VERSION).replaceAll("#/components/schemas/Error", "#/components/schemas/Gone");
  const problems = await lintFromString({ source, absoluteRef: "/openapi.json", config });
  expect(problems.map(({ ruleId }) => ruleId)).toEqual(
    expect.arrayContaining(["no-unresolved-refs", "info-license"]),
  );
});

test("its schemas are valid JSON Schema", () => {
  const ajv = new Ajv2020();
  for (const schema of Object.values(document.components.schemas)) {
    expect(ajv.validateSchema(schema), JSON.stringify(ajv.errors)).toBe(true);
  }
});
