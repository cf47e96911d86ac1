import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/domain/shared/json.js";
import { validateSiteConfigDocument } from "../../../src/domain/site-configs/validate-site-config.js";
import {
  checkDocument,
  placesOf,
  type RuleCase,
  validAnchor,
  validSite,
  withAnchors,
  withColors,
  withGroup,
} from "../../support/site-configs/documents.js";

const warnings: readonly RuleCase[] = [
  ["an unknown property", { seo: { a: [1] } }, [["unknown_property", "/seo"]]],
  ["an unknown property below", { api: { auth: { scheme: 1 } } }, [["unknown_property", "/api/auth/scheme"]]],
  ["a key that objects inherit", { toString: 1 }, [["unknown_property", "/toString"]]],
  [
    "a nested group",
    withGroup({ group: "", pages: [{ group: "", pages: ["a"] }] }),
    [["undocumented_form", "/navigation/0/pages/0"]],
  ],
  [
    "the icon of a group",
    withGroup({ group: "", pages: ["a"], icon: 5 }),
    [["undocumented_property", "/navigation/0/icon"]],
  ],
  [
    "the version of a group",
    { ...withGroup({ group: "", pages: ["a"], version: "v1" }), versions: ["v1"] },
    [["undocumented_property", "/navigation/0/version"]],
  ],
  [
    "colors.anchors",
    withColors({ anchors: { from: "red", via: 1 } }),
    [["undocumented_property", "/colors/anchors"]],
  ],
  ["thumbsRating", { feedback: { thumbsRating: 1 } }, [["undocumented_property", "/feedback/thumbsRating"]]],
  [
    "more profiles",
    { footerSocials: { x: "https://x.com/a", youtube: "http://youtu.be/a" } },
    [
      ["undocumented_property", "/footerSocials/x"],
      ["undocumented_property", "/footerSocials/youtube"],
    ],
  ],
  ["$schema", { $schema: "https://example.com" }, [["undocumented_property", "/$schema"]]],
  ["a version as an object", { versions: [{ name: "v1" }, "v2"] }, [["undocumented_form", "/versions/0"]]],
  [
    "footerSocials as an array",
    { footerSocials: [{ type: "x" }] },
    [["undocumented_form", "/footerSocials"]],
  ],
  [
    "a gradient with via",
    withAnchors({ ...validAnchor, color: { from: "#fff", via: "#888", to: "#000" } }),
    [["undocumented_property", "/anchors/0/color/via"]],
  ],
  [
    "a one-sided gradient",
    withAnchors({ ...validAnchor, color: { from: "#fff" } }),
    [["one_sided_colors", "/anchors/0/color"]],
  ],
  [
    "a one-sided background",
    withColors({ background: { dark: "#000" } }),
    [["one_sided_colors", "/colors/background"]],
  ],
  ["an empty background", withColors({ background: {} }), [["one_sided_colors", "/colors/background"]]],
  [
    "a profile without scheme",
    { footerSocials: { github: "github.com/a" } },
    [["social_url", "/footerSocials/github"]],
  ],
  [
    "an anchor that matches no page",
    withAnchors({ name: "A", url: "/sdk" }),
    [["unmatched_url", "/anchors/0/url"]],
  ],
  ["a tab that matches no page", { tabs: [{ name: "A", url: "users" }] }, [["unmatched_url", "/tabs/0/url"]]],
  [
    "a version without list",
    withAnchors({ ...validAnchor, version: "v1" }),
    [["unlisted_version", "/anchors/0/version"]],
  ],
  [
    "a version that is not listed",
    { versions: ["v1"], ...withAnchors({ ...validAnchor, version: "v2" }) },
    [["unlisted_version", "/anchors/0/version"]],
  ],
  [
    "a slash before a page",
    withGroup({ group: "", pages: ["/a"] }),
    [["page_leading_slash", "/navigation/0/pages/0"]],
  ],
  [
    "an extension",
    withGroup({ group: "", pages: ["a.mdx", "v1.2"] }),
    [["page_extension", "/navigation/0/pages/0"]],
  ],
  [
    "a deprecated property",
    { api: { maintainOrder: true } },
    [["deprecated_property", "/api/maintainOrder"]],
  ],
];

const accepted: readonly (readonly [rule: string, change: JsonObject])[] = [
  ["nothing more", {}],
  ["an empty group name", withGroup({ group: "", pages: ["a"] })],
  ["logo as text", { logo: "/logo.svg" }],
  ["short and long colors", withColors({ light: "#FFF", dark: "#0aF9bC" })],
  ["newer icon types", withAnchors({ ...validAnchor, iconType: "sharp-duotone-solid" })],
  ["a repository without name", { topbarCtaButton: { type: "github", url: "https://github.com/a/b" } }],
  ["links without name or url", { topbarLinks: [{}] }],
  [
    "anchors that lead elsewhere",
    withAnchors({ name: "A", url: "https://a.b" }, { name: "B", url: "mailto:a@b" }),
  ],
  ["an anchor with slashes", withAnchors({ name: "A", url: "/api/" })],
  ["several addresses", { api: { baseUrl: ["https://a", "https://b"] }, openapi: ["a.json"] }],
];

describe("decision 18: warnings", () => {
  test.each(warnings)("%s", (_, change, expected) => {
    const report = checkDocument({ ...validSite, ...change });
    expect(report).toMatchObject({ valid: true, errors: [] });
    expect(placesOf(report.warnings)).toEqual(expected);
    const strict = validateSiteConfigDocument({ ...validSite, ...change }, { strict: true });
    expect(strict).toEqual({ valid: false, errors: report.warnings, warnings: [] });
  });

  test.each(["favicon", "colors"])("%s is missing", (name) => {
    const { [name]: _, ...rest } = validSite;
    expect(checkDocument(rest)).toMatchObject({
      valid: true,
      warnings: [{ code: "missing_recommended", pointer: "" }],
    });
  });
});

test.each(accepted)("reports nothing for %s", (_, change) => {
  expect(checkDocument({ ...validSite, ...change })).toEqual({ valid: true, errors: [], warnings: [] });
});
