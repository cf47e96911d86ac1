import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { ESLint } from "eslint";
import { expect, test } from "vitest";

test("Redocly reports no errors and no warnings about openapi.json", async () => {
  const config = await createConfig({
    extends: ["recommended-strict"],
    // OpenAPI prefers `/site-config/validate` to `/site-config/{site}`, which has no POST.
    rules: { "no-ambiguous-paths": "off" },
  });
  const source = await readFile(new URL("../../openapi.json", import.meta.url), "utf8");
  const problems = await lintFromString({ source, absoluteRef: "/openapi.json", config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
    [],
  );
});

test("GraphQL-ESLint reports no errors and no warnings about schema.graphql", async () => {
  const eslint = new ESLint({
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    overrideConfigFile: fileURLToPath(new URL("eslint.config.js", import.meta.url)),
    applySuppressions: true,
    suppressionsLocation: "test/operations/eslint-suppressions.json",
  });
  const [result, ...others] = await eslint.lintFiles("schema.graphql");
  expect(others).toEqual([]);
  expect(result?.messages.map(({ ruleId, message, line }) => [ruleId, message, line])).toEqual([]);
});
