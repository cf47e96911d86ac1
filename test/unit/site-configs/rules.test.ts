import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/domain/shared/json.js";
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

// Single values of a wrong type, enum, color or size, and missing properties, are in mutations.test.ts.
const errors: readonly RuleCase[] = [
  ["name is empty", { name: "" }, "empty_value /name"],
  ["navigation is empty", { navigation: [] }, "empty_value /navigation"],
  ["navigation is an object", { navigation: { tabs: [] } }, "docs_json_format /navigation"],
  [
    "logo.light is no string",
    { logo: { light: 1, dark: 2 } },
    "wrong_type /logo/light",
    "wrong_type /logo/dark",
  ],
  ["a color with alpha", { colors: { primary: "#11223344" } }, "invalid_color /colors/primary"],
  ["a color with a line end", withColors({ dark: "#123\n" }), "invalid_color /colors/dark"],
  [
    "a link without name",
    { topbarCtaButton: { type: "link", url: "/" } },
    "missing_property /topbarCtaButton",
  ],
  ["a link by default without name", { topbarCtaButton: { url: "/" } }, "missing_property /topbarCtaButton"],
  [
    "a button without all",
    { topbarCtaButton: {} },
    "missing_property /topbarCtaButton",
    "missing_property /topbarCtaButton",
  ],
  ["U+0000 in a string", { name: "a\u0000" }, "unstorable_text /name"],
  ["U+0000 in a color", { colors: { primary: "\u0000" } }, "unstorable_text /colors/primary"],
];

const warnings: readonly RuleCase[] = [
  ["an unknown property", { sections: { a: [1] } }, "unknown_property /sections"],
  ["an unknown property below", { api: { auth: { scheme: 1 } } }, "unknown_property /api/auth/scheme"],
  ["a key that objects inherit", { toString: 1 }, "unknown_property /toString"],
  [
    "a one-sided gradient",
    withAnchors({ ...validAnchor, color: { from: "#fff" } }),
    "one_sided_colors /anchors/0/color",
  ],
  [
    "a one-sided background",
    withColors({ background: { dark: "#000" } }),
    "one_sided_colors /colors/background",
  ],
  ["an empty background", withColors({ background: {} }), "one_sided_colors /colors/background"],
  [
    "a profile without scheme",
    { footerSocials: { github: "github.com/a" } },
    "social_url /footerSocials/github",
  ],
  ["an anchor that matches no page", withAnchors({ name: "A", url: "/sdk" }), "unmatched_url /anchors/0/url"],
  ["a tab that matches no page", { tabs: [{ name: "A", url: "users" }] }, "unmatched_url /tabs/0/url"],
  [
    "a version without list",
    withAnchors({ ...validAnchor, version: "v1" }),
    "unlisted_version /anchors/0/version",
  ],
  [
    "a version that is not listed",
    { versions: ["v1"], ...withAnchors({ ...validAnchor, version: "v2" }) },
    "unlisted_version /anchors/0/version",
  ],
  ["a slash before a page", withGroup({ pages: ["/a"] }), "page_leading_slash /navigation/0/pages/0"],
  ["an extension", withGroup({ pages: ["a.mdx", "v1.2"] }), "page_extension /navigation/0/pages/0"],
  ["an empty page", withGroup({ pages: ["a", " "] }), "empty_text /navigation/0/pages/1"],
  ["an anchor without label", withAnchors({ name: "", url: "api" }), "empty_text /anchors/0/name"],
  ["a tab without label", { tabs: [{ name: " ", url: "api" }] }, "empty_text /tabs/0/name"],
  ["a link without URL", { topbarLinks: [{ name: "A" }] }, "missing_recommended /topbarLinks/0"],
  [
    "one name for basic authentication",
    { api: { auth: { method: "basic", name: "user" } } },
    "basic_auth_name /api/auth/name",
  ],
  [
    "URLs below a path that is not the base path of all",
    { tabs: [{ name: "A", url: "/docs/api" }], ...withAnchors({ name: "B", url: "intro" }) },
    "unmatched_url /tabs/0/url",
  ],
  [
    "a URL below the base path that matches no page",
    { tabs: [{ name: "A", url: "/docs/api" }], ...withAnchors({ name: "B", url: "/docs/sdk" }) },
    "unmatched_url /anchors/0/url",
  ],
];

const notices: readonly RuleCase[] = [
  [
    "a nested group",
    withGroup({ pages: [{ group: "", pages: ["a"] }] }),
    "undocumented_form /navigation/0/pages/0",
  ],
  ["the icon of a group", withGroup({ icon: 5 }), "undocumented_property /navigation/0/icon"],
  [
    "the version of a group",
    { ...withGroup({ version: "v1" }), versions: ["v1"] },
    "undocumented_property /navigation/0/version",
  ],
  [
    "colors.anchors",
    withColors({ anchors: { from: "red", via: 1 } }),
    "undocumented_property /colors/anchors",
  ],
  ["thumbsRating", { feedback: { thumbsRating: 1 } }, "undocumented_property /feedback/thumbsRating"],
  [
    "more profiles",
    { footerSocials: { x: "https://x.com/a", youtube: "http://youtu.be/a" } },
    "undocumented_property /footerSocials/x",
    "undocumented_property /footerSocials/youtube",
  ],
  ["$schema", { $schema: "https://example.com" }, "undocumented_property /$schema"],
  ["a version as an object", { versions: [{ name: "v1" }, "v2"] }, "undocumented_form /versions/0"],
  ["footerSocials as an array", { footerSocials: [{ type: "x" }] }, "undocumented_form /footerSocials"],
  [
    "a gradient with via",
    withAnchors({ ...validAnchor, color: { from: "#fff", via: "#888", to: "#000" } }),
    "undocumented_property /anchors/0/color/via",
  ],
  ["a deprecated property", { api: { maintainOrder: true } }, "deprecated_property /api/maintainOrder"],
  [
    "what the tool of the format knows",
    { analytics: 1, redirects: 1, metadata: 1, seo: 1, primaryTab: 1, search: 1 },
    "undocumented_property /analytics",
    "undocumented_property /redirects",
    "undocumented_property /metadata",
    "undocumented_property /seo",
    "undocumented_property /primaryTab",
    "undocumented_property /search",
  ],
  [
    "generated pages",
    {
      tabs: [{ name: "A", url: "reference", openapi: "a.json" }],
      ...withAnchors({ name: "B", url: "b", openapi: "b.json" }),
    },
    "undocumented_property /tabs/0/openapi",
    "undocumented_property /anchors/0/openapi",
  ],
  [
    "redirected URLs",
    {
      redirects: [
        { source: "/chat", destination: "https://a.b" },
        { source: "/old/:path*", destination: "/api" },
      ],
      tabs: [
        { name: "A", url: "chat" },
        { name: "B", url: "/old/guides" },
        { name: "C", url: "old" },
      ],
    },
    "undocumented_property /redirects",
  ],
];

const accepted: readonly (readonly [rule: string, change: JsonObject])[] = [
  ["nothing more", {}],
  ["an empty group name", withGroup({})],
  ["logo as text", { logo: "/logo.svg" }],
  ["short and long colors", withColors({ light: "#FFF", dark: "#0aF9bC" })],
  ["newer icon types", withAnchors({ ...validAnchor, iconType: "sharp-duotone-solid" })],
  ["a repository without name", { topbarCtaButton: { type: "github", url: "https://github.com/a/b" } }],
  ["a link without name", { topbarLinks: [{ url: "https://a.b" }] }],
  [
    "URLs with the base path",
    {
      tabs: [
        { name: "A", url: "/docs/api" },
        { name: "B", url: "/docs/intro" },
      ],
    },
  ],
  [
    "anchors that lead elsewhere",
    withAnchors({ name: "A", url: "https://a.b" }, { name: "B", url: "mailto:a@b" }),
  ],
  ["an anchor with slashes", withAnchors({ name: "A", url: "/api/" })],
  ["several addresses", { api: { baseUrl: ["https://a", "https://b"] }, openapi: ["a.json"] }],
];

const casesOf = (rows: readonly RuleCase[]) =>
  rows.map(([rule, change, ...places]) => [rule, change, places] as const);

describe("decision 17: errors", () => {
  test.each(casesOf(errors))("%s", (_, change, expected) => {
    const report = checkDocument({ ...validSite, ...change });
    expect(report).toMatchObject({ valid: false, warnings: [] });
    expect(placesOf(report.errors)).toEqual(expected);
  });

  test.each(["name", "navigation"])("%s is missing", (name) => {
    const { [name]: _, ...rest } = validSite;
    expect(placesOf(checkDocument(rest).errors)).toEqual(["missing_property "]);
  });

  test.each([[null], [[]], ["{}"], [1], [true]])("%j is not an object", (document) => {
    expect(placesOf(checkDocument(document).errors)).toEqual(["wrong_type "]);
  });
});

test("rejects half a surrogate pair in a key below an unknown property", () => {
  const report = checkDocument({ ...validSite, sections: { "\ud800/~": 1 } });
  expect(placesOf(report.errors)).toEqual(["unstorable_text /sections/\ud800~1~0"]);
  expect(placesOf(report.warnings)).toEqual(["unknown_property /sections"]);
});

test("reports only the type error for a value of the wrong type", () => {
  const report = checkDocument({
    ...validSite,
    navigation: [{ group: 1, pages: [7] }],
    versions: 1,
    ...withAnchors({ name: "A", url: "nowhere", version: "v1" }),
    topbarCtaButton: { type: 1, url: "/" },
  });
  expect(placesOf(report.errors)).toEqual([
    "wrong_type /navigation/0/group",
    "wrong_type /navigation/0/pages/0",
    "wrong_type /versions",
    "wrong_type /topbarCtaButton/type",
  ]);
  expect(report.warnings).toEqual([]);
});

describe("decision 18: warnings", () => {
  test.each(casesOf(warnings))("%s", (_, change, expected) => {
    const report = checkDocument({ ...validSite, ...change });
    expect(report).toMatchObject({ valid: true, errors: [] });
    expect(placesOf(report.warnings)).toEqual(expected);
    const strict = checkDocument({ ...validSite, ...change }, { strict: true });
    expect(strict).toEqual({ valid: false, errors: report.warnings, warnings: [], notices: [] });
  });

  test.each(casesOf(notices))("notice: %s", (_, change, expected) => {
    const report = checkDocument({ ...validSite, ...change });
    expect(report).toMatchObject({ valid: true, errors: [], warnings: [] });
    expect(placesOf(report.notices)).toEqual(expected);
    expect(checkDocument({ ...validSite, ...change }, { strict: true })).toEqual(report);
  });

  test("there is one notice of a kind, with the number of places and the first", () => {
    const nested = { group: "", pages: ["b"], icon: "x" };
    const group = { group: "", pages: ["a", nested, nested], icon: "x" };
    const { notices } = checkDocument({ ...validSite, navigation: [{ group: "", pages: ["a"] }, group] });
    expect(notices).toEqual([
      {
        code: "undocumented_form",
        pointer: "/navigation/1/pages/1",
        count: 2,
        message: expect.stringMatching(/^A nested group .* Found in 2 places\.$/),
      },
      {
        code: "undocumented_property",
        pointer: "/navigation/1/pages/1/icon",
        count: 3,
        message: expect.stringMatching(/^"icon" .* Found in 3 places\.$/),
      },
    ]);
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
  expect(checkDocument({ ...validSite, ...change })).toEqual({
    valid: true,
    errors: [],
    warnings: [],
    notices: [],
  });
});

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
  ["in a group", withGroup({ icn: "x" }), "icon"],
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
