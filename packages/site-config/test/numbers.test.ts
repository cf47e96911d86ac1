import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { validateSiteConfig } from "../src/validate.js";
import { validSite } from "./documents.js";

/** Checks a text with a number below an unknown property. */
function check(number: string) {
  const text = JSON.stringify({ ...validSite, "x/y": { z: [0, "NUMBER"] } }).replace('"NUMBER"', number);
  return validateSiteConfig(text, { strict: false });
}

function warningsOf(number: string) {
  const { valid, warnings } = check(number);
  expect(valid).toBe(true);
  return warnings.filter(({ code }) => code === "inexact_number");
}

describe("decision 17: rejects numbers that a 64-bit float cannot hold", () => {
  test.each(["1e999", "-1E+400", "9".repeat(309), "7".repeat(1_000_000)])("%.30s", (number) => {
    const { valid, errors, warnings } = check(number);
    expect({ valid, errors }).toEqual({
      valid: false,
      errors: [
        {
          code: "number_too_large",
          pointer: "/x~1y/z/1",
          message: expect.stringMatching(
            /^The number ".{2,60}" exceeds the range of a 64-bit float\. Use a smaller number or a string\.$/,
          ),
          line: 1,
          column: expect.any(Number),
        },
      ],
    });
    expect(warnings.map(({ code }) => code)).toEqual(["unknown_property"]);
  });
});

describe("decision 18: warns of numbers that most programs read differently", () => {
  test.each([
    ["12345678901234567891", "12345678901234567000"],
    ["-9007199254740993", "-9007199254740992"],
    ["18446744073709551615", "18446744073709552000"],
    [`1${"0".repeat(21)}1`, "1e+22"],
    ["9".repeat(308), "1e+308"],
  ])("%.30s", (number, read) => {
    expect(warningsOf(number)).toEqual([
      expect.objectContaining({
        pointer: "/x~1y/z/1",
        message: `Most programs read another value than written here, for example ${read} in JavaScript. Use a string to keep all digits.`,
      }),
    ]);
  });

  test.each([
    ...["0", "-0", "1.50", "9007199254740991", "9007199254740992", "18446744073709551616"],
    ...["100000000000000000000", "1e20", "1e308", "0.1", "0.12345678901234567890", "1e-999"],
    `0.${"1".repeat(1_000_000)}`,
  ])("does not warn of %.30s", (number) => {
    expect(warningsOf(number)).toEqual([]);
  });

  test("does not warn of numbers as JavaScript writes them", () => {
    expect(warningsOf(JSON.stringify(2 ** 64))).toEqual([]);
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(warningsOf(JSON.stringify(number))).toEqual([]);
      }),
    );
  });

  test("reports line and column, and an error in strict mode", () => {
    const text = `[\n  1e999, {"a": [2,\n 9007199254740993]}]`;
    const places = validateSiteConfig(text, { strict: true }).errors.map(
      ({ code, pointer, line, column }) => [code, pointer, line, column],
    );
    expect(places).toEqual([
      ["wrong_type", "", 1, 1],
      ["number_too_large", "/0", 2, 3],
      ["inexact_number", "/1/a/1", 3, 2],
    ]);
  });
});
