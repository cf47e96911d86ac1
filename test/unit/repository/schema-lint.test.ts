import { fileURLToPath } from "node:url";
import { ESLint } from "eslint";
import { expect, test } from "vitest";

const eslint = new ESLint({ cwd: fileURLToPath(new URL("../../../", import.meta.url)) });
const NAMES = ["naming-convention", "no-typename-prefix", "require-description", "relay-arguments"];

test("every rule for the schema is on, as an error", async () => {
  const { rules } = await eslint.calculateConfigForFile("schema.graphql");
  const severities = new Map(
    Object.entries<readonly [unknown]>(Object(rules)).map(([name, [severity]]) => [name, severity]),
  );
  expect([...severities.keys()]).toEqual(
    expect.arrayContaining(NAMES.map((name) => `@graphql-eslint/${name}`)),
  );
  // ESLint's severity of an error is 2.
  expect(new Set(severities.values())).toEqual(new Set([2]));
});

test("eslint-suppressions.json contains only DataSource.dataSourceId", async () => {
  const [result] = await eslint.lintFiles("schema.graphql");
  expect(result?.messages).toMatchObject([
    { ruleId: "@graphql-eslint/no-typename-prefix", message: expect.stringContaining('"dataSourceId"') },
  ]);
});
