import fc from "fast-check";
import { expect } from "vitest";
import type { TestService } from "../service/test-service.js";

/** Text that can confuse a parser, a database or JavaScript objects. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "",
    "\u0000",
    "a\u0000b",
    "\ud800",
    "\udfff\ud800",
    "\u202e\u200b\ufeff",
    "'; DROP TABLE user_groups; --",
    "%s%n$1{}",
    "x".repeat(256),
    "\u{1f4a9}".repeat(255),
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
);

/** Numbers, as text, that are too large, too small or too long. */
const hostileNumber = fc.constantFrom(
  "1e999",
  "-1e999",
  "1e-999",
  "-0",
  "9007199254740993",
  "1".repeat(400),
  `0.${"1".repeat(5000)}`,
);

/** JSON text with hostile parts: deep nesting, duplicate keys, keys with a meaning in JavaScript. */
export const hostileJson: fc.Arbitrary<string> = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom("null", "true", "{}", "[]"),
    hostileText.map((text) => JSON.stringify(text)),
    hostileNumber,
    fc.constantFrom(10, 500, 20_000).map((depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`),
    fc.constantFrom(17, 600, 9_000).map((depth) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join()}]`),
    tie("object"),
  ),
  object: fc
    .array(fc.tuple(hostileText, tie("value")), { maxLength: 4 })
    .map((entries) => toObjectText(entries)),
})).value;

/** JSON text of an object with these entries, some of them hostile, and further ones; keys can repeat. */
export function hostileObject(fields: Readonly<Record<string, fc.Arbitrary<string>>>): fc.Arbitrary<string> {
  const givenEntries = Object.entries(fields).map(([key, honest]) =>
    fc
      .oneof({ weight: 3, arbitrary: honest }, { weight: 1, arbitrary: hostileJson })
      .map((text): [string, string] => [key, text]),
  );
  const keys = fc.oneof(hostileText, fc.constantFrom(...Object.keys(fields)));
  const others = fc.array(fc.tuple(keys, hostileJson), { maxLength: 2 });
  return fc
    .tuple(fc.tuple(...givenEntries), others)
    .map(([first, second]) => toObjectText([...first, ...second]));
}

/** A text unchanged, truncated, or with one invalid character. */
export function maybeInvalidSiteConfig(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc
    .tuple(text, fc.nat(3), fc.nat(), fc.constantFrom("\u0000", ",", "}", "\\", '"'))
    .map(([whole, kind, position, character]) => {
      const at = position % (whole.length + 1);
      if (kind === 0) return whole.slice(0, at);
      return kind === 1 ? whole.slice(0, at) + character + whole.slice(at) : whole;
    });
}

/** Sends bodies. @param isRefusal sends one; those that are rejected must leave the user groups unchanged */
export async function expectHarmless(
  { query }: TestService,
  bodies: fc.Arbitrary<string>,
  numRuns: number,
  isRefusal: (body: string) => Promise<boolean>,
): Promise<void> {
  const state = () => query("SELECT * FROM user_group ORDER BY id");
  let before = await state();
  await fc.assert(
    fc.asyncProperty(bodies, async (body) => {
      const isRefused = await isRefusal(body);
      const after = await state();
      if (isRefused) expect(after).toEqual(before);
      before = after;
    }),
    { numRuns },
  );
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
}

function toObjectText(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`;
}
