import { describe, expect, test } from "vitest";
import { parseExpiry } from "../../src/cli/shared/arguments.js";

const now = new Date("2026-01-31T12:00:00.000Z");

describe("API key expiry", () => {
  test.each([
    ["12h", "2026-02-01T00:00:00.000Z"],
    ["90d", "2026-05-01T12:00:00.000Z"],
    ["4w", "2026-02-28T12:00:00.000Z"],
    ["2026-02-01", "2026-02-01T00:00:00.000Z"],
    ["2028-02-29", "2028-02-29T00:00:00.000Z"],
    ["2026-01-31T12:00:00.001Z", "2026-01-31T12:00:00.001Z"],
    ["2030-12-31T10:00Z", "2030-12-31T10:00:00.000Z"],
    ["2030-12-31T23:30:00-02:00", "2031-01-01T01:30:00.000Z"],
  ])("parses %s as %s", (text, expected) => {
    expect(parseExpiry(text, now)?.toISOString()).toBe(expected);
  });

  test.each([
    ["", "nothing"],
    ["0d", "now"],
    ["2026-01-31", "past"],
    ["2026-01-31T12:00Z", "now"],
    ["2026-01-31T13:30+02:00", "past"],
    ["2030-02-31", "no day"],
    ["2027-02-29", "no day"],
    ["2030-02-31T10:00Z", "no day"],
    ["2030-13-01", "no month"],
    ["2030-01-01T25:00Z", "no time"],
    ["2030-01-01T10:00", "without a zone"],
    ["2030-1-1", "not ISO 8601"],
    ["-1d", "negative"],
    ["1.5d", "not whole"],
    ["100000d", "too many"],
    ["10m", "minutes or months"],
    ["10 d", "with a space"],
    ["tomorrow", "a word"],
  ])("rejects %s: %s", (text) => {
    expect(parseExpiry(text, now)).toBeNull();
  });
});
