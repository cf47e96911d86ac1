import { expect, test } from "vitest";
import { validateSiteConfig } from "../src/validate.js";
import type { JsonObject, JsonValue } from "./documents.js";
import { validSite } from "./documents.js";

/** Large enough that quadratic work would time out. */
const LARGE = 40_000;

const growing: readonly (readonly [what: string, text: (size: number) => string])[] = [
  ["nested groups of pages", (size) => site({ navigation: nested(size / 10, size) })],
  [
    "tabs and pages",
    (size) => site({ ...pages(size), tabs: many(size, (id) => ({ name: "", url: `q${id}` })) }),
  ],
  ["versions and anchors", (size) => site({ versions: many(size, (id) => `v${id}`), ...anchors(size) })],
  ["unknown properties", (size) => site(Object.fromEntries(many(size, (id) => [`nam${id}`, id])))],
  ["wrong types", (size) => site({ versions: many(size, (id) => id) })],
  ["slashes", (size) => site({ tabs: [{ name: "", url: `x${"/".repeat(50 * size)}x` }] })],
  ["brackets", (size) => "[".repeat(50 * size)],
  ["comments", (size) => "/**/\n".repeat(10 * size)],
  ["white space", (size) => `${" \n".repeat(25 * size)}{}`],
];

test.each(growing)("handles many megabytes of %s", (_, text) => {
  expect(validateSiteConfig(text(LARGE), { strict: false }).valid).toBeTypeOf("boolean");
});

test("limits the number of findings without changing the verdict", () => {
  const text = site({
    versions: many(50_000, (id) => id),
    ...Object.fromEntries(many(50_000, (id) => [`k${id}`, id])),
  });
  const { errors, warnings } = validateSiteConfig(text, { strict: false });
  expect([errors.length, warnings.length]).toEqual([1_001, 1_001]);
  expect([errors.at(-1)?.code, warnings.at(-1)?.code]).toEqual(["more_errors", "more_warnings"]);
  const key = "k".repeat(500_000);
  const long = validateSiteConfig(site({ [key]: many(1000, () => "\u0000") }), { strict: false });
  expect(long.errors.length).toBeLessThan(20);
});

function site(more: JsonObject): string {
  return JSON.stringify({ ...validSite, ...more });
}

function many<Item>(size: number, item: (id: number) => Item): Item[] {
  return Array.from({ length: size }, (_, id) => item(id));
}

function pages(size: number): JsonObject {
  return { navigation: [{ group: "", pages: many(size, (id) => `p${id}`) }] };
}

function anchors(size: number): JsonObject {
  return { anchors: many(size, (id) => ({ name: "", url: "", version: `w${id}` })) };
}

/** Nested groups, at most fifty levels, with pages distributed over them. */
function nested(groups: number, count: number): JsonValue {
  const perGroup = Math.ceil(count / groups);
  const group = (index: number, below: readonly JsonValue[]) => ({
    group: `${index}`,
    pages: [...many(perGroup, (id) => `p${index}/${id}`), ...below],
  });
  const chains = many(Math.ceil(groups / 50), (chain) =>
    many(50, (index) => chain * 50 + index).reduce<JsonValue[]>((below, index) => [group(index, below)], []),
  );
  return [{ group: "", pages: chains.flat() }];
}
