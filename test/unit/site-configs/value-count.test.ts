import fc from "fast-check";
import { expect, test } from "vitest";
import { isObject } from "../../../src/domain/shared/json.js";
import {
  countValues,
  MAX_SITE_CONFIG_VALUES,
  requireSize,
} from "../../../src/domain/site-configs/site-config.js";

function valuesOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + valuesOf(item), 1);
  return isObject(value) ? valuesOf(Object.values(value)) : 1;
}

test("counts the values of any JSON text, however it is formatted", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom("", " ", "\t", "\n"), (value, unit) => {
      expect(countValues(JSON.stringify(value, null, unit))).toBe(valuesOf(value));
    }),
  );
  expect(countValues('{"a\\\\":["\\",[{",""]}')).toBe(4);
});

test("limits the number of values in a document", () => {
  const zeros = (count: number) => JSON.stringify(Array.from({ length: count }, () => 0));
  expect(() => requireSize(zeros(MAX_SITE_CONFIG_VALUES - 1), ["text"])).not.toThrow();
  expect(() => requireSize(zeros(MAX_SITE_CONFIG_VALUES), ["text"])).toThrow(
    "must have at most 10000 values",
  );
});
