import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
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
    .replace("; part 1 is not", "")
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

const MS = 1;
const S = 1000;
/** The page's units in milliseconds or bytes. */
const TIMES: Readonly<Record<string, number>> = { ms: MS, s: S, min: 60 * S, h: 3600 * S, d: 86_400 * S };
const SIZES: Readonly<Record<string, number>> = { B: 1, bytes: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
const HEAD = "| limit | default | setting | reply |";

const defaults = new Map(
  Object.values(SETTING_SECTIONS)
    .flatMap((section) => Object.entries<z.ZodType>(section))
    .map(([name, schema]): [string, unknown] => [name, schema.safeParse(undefined).data]),
);
const page = readFileSync(new URL("../../../docs/limits.md", import.meta.url), "utf8");
const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| ") && line !== HEAD)
  .map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
const settingsOf = (cell = "") => [...cell.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name = ""]) => name);

/** The numbers of a cell, in each setting's unit. */
function quantitiesOf(cell: string, names: readonly string[]): number[] {
  const found = [
    ...cell.matchAll(/(\d[\d,.]*|\bunlimited\b|\bnone\b)(?:\s*(ms|s|min|h|d|bytes|B|KiB|MiB|GiB)\b)?/g),
  ];
  return found.map(([, number = "", unit], index) => {
    const value = /^\d/.test(number) ? Number(number.replaceAll(",", "")) : 0;
    if (unit === undefined) return value;
    const name = names[index] ?? "";
    const time = TIMES[unit];
    if (time !== undefined) return (value * time) / (name.endsWith("_SECONDS") ? S : MS);
    return (value * (SIZES[unit] ?? Number.NaN)) / (name.endsWith("_MIB") ? 2 ** 20 : 1);
  });
}

test("every row has four cells", () => {
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) expect(row, row.join(" | ")).toHaveLength(4);
});

describe("rows with settings", () => {
  const withSettings = rows.filter(([, , setting]) => settingsOf(setting).length > 0);

  test.each(withSettings.map((row): [string, string[]] => [row[0] ?? "", row]))(
    "%s",
    (_, [, value = "", cell]) => {
      const names = settingsOf(cell);
      for (const name of names) expect([...defaults.keys()], name).toContain(name);
      const expected = names.map((name) => defaults.get(name));
      if (expected.every((each) => typeof each === "number")) {
        expect(quantitiesOf(value, names), value).toEqual(expected);
      }
    },
  );
});
