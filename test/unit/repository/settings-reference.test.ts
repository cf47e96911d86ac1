import { expect, test } from "vitest";
import type { z } from "zod";
import { SETTING_SECTIONS } from "../../../src/config/settings.js";

/** Invalid for every setting that is not plain text. */
const NONSENSE = "?";

/** Generates the settings reference from the validation schema. */
function settingsReference(): string {
  const sections = Object.entries(SETTING_SECTIONS).map(([title, section]) => {
    const rows = Object.entries<z.ZodType>(section).map(
      ([name, schema]) =>
        `| \`${name}\` | ${defaultOf(schema)} | ${ruleOf(schema)} | ${schema.description ?? ""} |`,
    );
    return `## ${title}

| variable | default | value | meaning |
| --- | --- | --- | --- |
${rows.join("\n")}`;
  });
  return `<!-- Written from the schema that checks them: npx vitest run test/unit/repository/settings-reference.test.ts -u -->

# Settings

The service and the command line read these environment variables; an empty one counts as unset. Invalid values are all reported at once, without
their values, and the process exits. Connection, stream and memory limits apply per process; lists are comma-separated.

${sections.join("\n\n")}
`;
}

function defaultOf(schema: z.ZodType): string {
  const value: unknown = schema.safeParse(undefined).data ?? "";
  // An empty list or record is not shown as a default.
  const text = typeof value === "object" && value !== null ? Object.values(value).join() : String(value);
  return text === "" ? "" : `\`${text}\``;
}

/** The allowed values, from the schema's error message for an invalid one. */
function ruleOf(schema: z.ZodType): string {
  const rule = schema.safeParse(NONSENSE).error?.issues[0]?.message.replace(/^must be /, "") ?? "text";
  return rule
    .replace(/^a whole number from (\d+) to (\d+)$/, "$1–$2")
    .replace("true or false", "boolean")
    .replace(/(?:a )?(URLs?) such as .*$/, "$1")
    .replace(/such as (\S+), or \*$/, "such as `$1`, or `*`");
}

test("docs/settings.md is current (vitest run test/unit/repository/settings-reference.test.ts -u)", async () => {
  await expect(settingsReference()).toMatchFileSnapshot("../../../docs/settings.md");
});

test("each setting has a description", () => {
  for (const section of Object.values(SETTING_SECTIONS)) {
    for (const [name, schema] of Object.entries<z.ZodType>(section)) {
      expect(schema.description, name).toMatch(/\w/);
    }
  }
});
