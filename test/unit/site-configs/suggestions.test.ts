import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/domain/shared/json.js";
import { checkDocument, validSite, withAnchors, withGroup } from "../../support/site-configs/documents.js";

const suggested: readonly (readonly [typo: string, change: JsonObject, meant: string])[] = [
  ["another case", { topbarlinks: [] }, "topbarLinks"],
  ["an underscore", { topbar_links: [] }, "topbarLinks"],
  ["a letter too few", { versons: [] }, "versions"],
  ["a letter too many", { openapii: "" }, "openapi"],
  ["another letter", { opanapi: "" }, "openapi"],
  ["two letters swapped", { tbas: [] }, "tabs"],
  ["two letters wrong", { fotterSocails: {} }, "footerSocials"],
  ["the nearest of several", { anchor: [] }, "anchors"],
  ["in an item", withAnchors({ name: "A", url: "api", icontype: "thin" }), "iconType"],
  ["in a group", withGroup({ group: "", pages: ["a"], icn: "x" }), "icon"],
  ["a value", { modeToggle: { default: "drak" } }, "dark"],
  ["a value in another case", { api: { auth: { method: "Bearer" } } }, "bearer"],
  [
    "a version",
    { versions: ["v1.0", "v2.0"], ...withAnchors({ name: "A", url: "api", version: "v2.O" }) },
    "v2.0",
  ],
];

describe("suggests a correction for a likely typo", () => {
  test.each(suggested)("%s", (_, change, meant) => {
    expect(messagesOf(change)).toEqual([expect.stringMatching(/ Did you mean ".*"\?$/)]);
    expect(messagesOf(change)[0]).toContain(`Did you mean "${meant}"?`);
  });
});

const notSuggested: readonly (readonly [why: string, change: JsonObject])[] = [
  ["nothing is near", { sections: {} }],
  ["the only near one is there", { colours: {} }],
  ["a short word is as near as any other", withAnchors({ name: "A", url: "api", un: 1 })],
];

test.each(notSuggested)("no suggestion: %s", (_, change) => {
  expect(messagesOf(change)).toEqual([expect.stringMatching(/^(?!.*Did you mean)/)]);
});

function messagesOf(change: JsonObject): string[] {
  const { errors, warnings } = checkDocument({ ...validSite, ...change });
  return [...errors, ...warnings].map(({ message }) => message);
}
