import { expect, test } from "vitest";
import { secretBytes } from "../../src/domain/accounts/secret-bytes.js";

test("bytes are handed out once, also where the store has to be filled again", () => {
  const seen = Array.from({ length: 1000 }, () => secretBytes(16).toString("hex"));
  expect(new Set(seen).size).toBe(1000);
  expect(seen).not.toContain("0".repeat(32));
});

test("no more than the store holds are handed out", () => {
  expect(secretBytes(4096)).toHaveLength(4096);
  expect(() => secretBytes(4097)).toThrow(RangeError);
});
