import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keepsDigits, markInexactNumbers } from "../../../src/domain/shared/json-text.js";

describe("a number is kept if it is that of the nearest float, with as many digits", () => {
  test.each([
    ...["0", "-0", "0.0", "0e9", "1", "1.50", "0.1", "-0.3000000000000000000000", "1e23", "5e-324", "1E+308"],
    // With 17 digits, as some programs write 0.1.
    "0.10000000000000001",
    // The float ends in 40625: halfway between these.
    ...["-3578619991319.4062", "-3578619991319.4063"],
    ...["9007199254740992", "100000000000000000000000", `1${"0".repeat(308)}`, `0.${"0".repeat(300)}1`],
    // All digits of the float nearest to 0.1.
    "0.1000000000000000055511151231257827021181583404541015625",
  ])("%.40s", (number) => {
    expect(keepsDigits(number)).toBe(true);
  });

  test.each([
    ...["0.1e-400", "3e-324", "1e-999", "1e999", "-1e400", "9007199254740993", "12345678901234.567"],
    ...["0.12345678901234567890", "1.00000000000000000001", "0.1000000000000000055511151231257828"],
    `0.${"1".repeat(1_000_000)}`,
    `0.${"0".repeat(1_000_000)}1`,
  ])("not %.40s", (number) => {
    expect(keepsDigits(number)).toBe(false);
  });

  test("every float is kept in the spellings of JavaScript, and with 17 digits", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        for (const text of [JSON.stringify(value), value.toExponential(), value.toPrecision(17)]) {
          expect(keepsDigits(text)).toBe(true);
        }
      }),
    );
  });
});

test("only numbers are marked, and what is not JSON stays so", () => {
  const json = (...numbers: readonly string[]) =>
    String.raw`{"a":${numbers[0]},"0.1e-400":[${numbers[1]}, 1.5,	${numbers[2]}],"s":"\", 0.1e-400 \\","t":", 1e-999"}`;
  expect(markInexactNumbers(json("0.1e-400", "-3e-324", "12345678901234.567"))).toBe(
    json("1e999", "1e999", "1e999"),
  );
  for (const text of ["[01e999]", "[1.e999]", '["a, 0.1e-400]', "[0.1e-400", "[--1e-999]", "[0.1e-400.5]"]) {
    expect(() => JSON.parse(text)).toThrow();
    expect(() => JSON.parse(markInexactNumbers(text))).toThrow();
  }
  fc.assert(
    fc.property(fc.json({ noUnicodeString: false }), (text) => {
      expect(JSON.parse(markInexactNumbers(text))).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
  ['[1e999,"', "a"],
  ['[1e999,"', '\\"'],
  ["[1e999,", '"'],
  ["[1e999,", '"\\'],
])("takes linear time for text that is not JSON: %s with many %s", (start, repeated) => {
  const text = start + repeated.repeat(2_000_000);
  expect(markInexactNumbers(text) === text).toBe(true);
});
