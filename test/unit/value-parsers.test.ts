import fc from "fast-check";
import { types } from "pg";
import { expect, test } from "vitest";
import { VALUE_PARSERS } from "../../src/persistence/shared/value-parsers.js";

const { TIMESTAMPTZ, INT4, INT8 } = types.builtins;
const parse = VALUE_PARSERS.getTypeParser(TIMESTAMPTZ);

test("parses a UTC time to the millisecond", () => {
  const from = new Date("0100-01-01T00:00:00Z");
  fc.assert(
    fc.property(
      fc.date({ min: from, max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true }),
      (time) => {
        // PostgreSQL omits trailing zeros of the fraction.
        const text = time
          .toISOString()
          .replace("T", " ")
          .replace(/\.?0*Z$/, "+00");
        expect(parse(text)).toEqual(time);
        expect(parse(text)).toEqual(types.getTypeParser(TIMESTAMPTZ)(text));
      },
    ),
  );
});

test.each([
  "2026-11-21 16:00:00",
  "2026-11-21 16:00:00.123456+00",
  "2026-11-21 16:00:00.5+05:30",
  "2026-11-21 11:00:00-05",
  "0050-01-01 00:00:00+00",
  "0044-03-15 00:00:00+00 BC",
  "10000-01-01 00:00:00+00",
  "infinity",
  "-infinity",
])("parses %s like the driver", (text) => {
  expect(parse(text)).toEqual(types.getTypeParser(TIMESTAMPTZ)(text));
});

test("reads 64-bit integers as numbers, and refuses those that a number cannot hold", () => {
  const parseInteger = VALUE_PARSERS.getTypeParser(INT8);
  for (const value of [0, -7, 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])
    expect(parseInteger(String(value))).toBe(value);
  for (const text of ["9007199254740992", "-9007199254740993", "9223372036854775807"])
    expect(() => parseInteger(text)).toThrow(
      `The database returned ${text}, which is not an integer up to 2^53.`,
    );
});

test("leaves all other types to the driver", () => {
  expect(VALUE_PARSERS.getTypeParser(INT4)).toBe(types.getTypeParser(INT4));
  expect(VALUE_PARSERS.getTypeParser(TIMESTAMPTZ, "binary")).toBe(types.getTypeParser(TIMESTAMPTZ, "binary"));
});
