import { describe, expect, test } from "vitest";
import { redactSecrets } from "../../src/domain/shared/redaction.js";

/** A secret of each kind with every character that it may contain, and what a log may show of it. */
const SECRETS = [
  ["ugk_live_09azAZ", "ugk_live_…"],
  ["ugk_test_09azAZ", "ugk_test_…"],
  ["ugt_09azAZ", "ugt_…"],
  ["whsec_09azAZ+/09azAZ/+==", "whsec_…"],
  ["whsec_+/", "whsec_…"],
  ["whsec_/+09=", "whsec_…"],
  ["eyJ09az-_.eyJAZ09-_.sig-_09", "eyJ…"],
  ["eyJ09az-_.eyJAZ09-_.", "eyJ…"],
] as const;

describe.each(SECRETS)("%s", (secret, redacted) => {
  test.each([
    ["in a sentence", " "],
    ["quoted", '"'],
    ["quoted in JSON text", '\\"'],
    ["in a list", ","],
    ["as a query parameter", "&"],
    ["in XML", "<"],
  ])("is redacted completely: %s", (_, around) => {
    expect(redactSecrets(`before${around}${secret}${around}after`)).toBe(
      `before${around}${redacted}${around}after`,
    );
  });

  test("is redacted each time", () => {
    expect(redactSecrets(`${secret} ${secret}`)).toBe(`${redacted} ${redacted}`);
  });
});

test("text without a secret is unchanged", () => {
  for (const text of ["ugk_", "ugt", "whsec", "eyJ is no token", "a+b/c=="])
    expect(redactSecrets(text)).toBe(text);
});
