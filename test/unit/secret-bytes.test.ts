import { expect, test } from "vitest";
import { secretBytes } from "../../src/domain/accounts/secret-format.js";

test("returns each byte once, even across refills", () => {
  const seen = Array.from({ length: 1000 }, () => secretBytes(16).toString("hex"));
  expect(new Set(seen).size).toBe(1000);
  expect(seen).not.toContain("0".repeat(32));
});

test("rejects requests larger than the buffer", () => {
  expect(secretBytes(4096)).toHaveLength(4096);
  expect(() => secretBytes(4097)).toThrow(RangeError);
});
