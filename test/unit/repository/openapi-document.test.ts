import { readFileSync } from "node:fs";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { packageVersion } from "../../../src/app/package-version.js";
import { openApiDocument, printOpenApi } from "../../../src/http/openapi/document.js";
import { parseEmbedSession } from "../../../src/rest/embed-session-routes.js";
import {
  parseDeletion,
  parseNewUserGroup,
  parseRotation,
  parseUpdate,
  type RequestBody,
} from "../../../src/rest/request-parsing.js";
import { OpenApiContract } from "../../support/rest/openapi-contract.js";

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

const { get, put, post, delete: deletion } = document.paths["/api/user"];
test.each([
  ["get /api/user", get, parseNewUserGroup],
  ["put /api/user", put, parseUpdate],
  ["post /api/user", post, (body: RequestBody) => parseRotation(body, undefined)],
  ["delete /api/user", deletion, parseDeletion],
  ["post /api/embed-session", document.paths["/api/embed-session"].post, parseEmbedSession],
] as const)(
  "%s accepts the documented body and rejects what the document rejects",
  (name, { requestBody }, take) => {
    const contract = new OpenApiContract();
    const isTaken = (body: Readonly<Record<string, unknown>>) => {
      try {
        take({ members: body, text: JSON.stringify(body) });
        return true;
      } catch {
        return false;
      }
    };
    const examples = Object.entries<{ value: Readonly<Record<string, unknown>> }>(
      Object(requestBody.content["application/json"].examples),
    );
    expect(examples.length).toBeGreaterThan(0);
    for (const [example, { value }] of examples) {
      expect(contract.accepts(name, value)).toBe(true);
      // An existing group needs no name.
      if (example !== "get") expect(isTaken(value)).toBe(true);
      for (const field of Object.keys(value)) {
        const wrong = { ...value, [field]: 1 };
        expect(contract.accepts(name, wrong)).toBe(false);
        if (name !== "get /api/user" || field !== "user_group_id") expect(isTaken(wrong)).toBe(false);
      }
    }
  },
);
