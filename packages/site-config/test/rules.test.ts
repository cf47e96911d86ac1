import { describe, expect, test } from "vitest";
import type { JsonObject } from "./documents.js";
import {
  checkDocument,
  placesOf,
  type RuleCase,
  validAnchor,
  validSite,
  withAnchors,
  withColors,
  withGroup,
} from "./documents.js";

// Single values of a wrong type, enum, color or size, and missing properties, are in mutations.test.ts.
const errors: readonly RuleCase[] = [
  [{ logo: { light: 1, dark: 2 } }, "wrong_type /logo/light", "wrong_type /logo/dark"],
  [{ topbarCtaButton: { type: "link", url: "/" } }, "missing_property /topbarCtaButton"],
  [{ topbarCtaButton: { url: "/" } }, "missing_property /topbarCtaButton"],
  [{ topbarCtaButton: {} }, "missing_property /topbarCtaButton", "missing_property /topbarCtaButton"],
  [{ name: "a\u0000" }, "unstorable_text /name"],
  [{ colors: { primary: "\u0000" } }, "unstorable_text /colors/primary"],
];

const warnings: readonly RuleCase[] = [
  [{ sections: { a: [1] } }, "unknown_property /sections"],
  [{ api: { auth: { scheme: 1 } } }, "unknown_property /api/auth/scheme"],
  [{ toString: 1 }, "unknown_property /toString"],
  [withAnchors({ ...validAnchor, color: { from: "#fff" } }), "one_sided_colors /anchors/0/color"],
  [withColors({ background: { dark: "#000" } }), "one_sided_colors /colors/background"],
  [withColors({ background: {} }), "one_sided_colors /colors/background"],
  [{ footerSocials: { github: "github.com/a" } }, "social_url /footerSocials/github"],
  [withAnchors({ name: "A", url: "/sdk" }), "unmatched_url /anchors/0/url"],
  [withAnchors({ name: "A", url: "javascript:alert(1)" }), "script_link /anchors/0/url"],
  [{ topbarCtaButton: { name: "A", url: " JaVa\tscript:x" } }, "script_link /topbarCtaButton/url"],
  [{ topbarLinks: [{ name: "A", url: "data:text/html,x" }] }, "script_link /topbarLinks/0/url"],
  [{ topbarCtaButton: { name: "A", url: "vbscript:x" } }, "script_link /topbarCtaButton/url"],
  [{ logo: { light: "/a", dark: "/b", href: "javascript:x" } }, "script_link /logo/href"],
  [{ tabs: [{ name: "A", url: "users" }] }, "unmatched_url /tabs/0/url"],
  [withAnchors({ ...validAnchor, version: "v1" }), "unlisted_version /anchors/0/version"],
  [
    { versions: ["v1"], ...withAnchors({ ...validAnchor, version: "v2" }) },
    "unlisted_version /anchors/0/version",
  ],
  [withGroup({ pages: ["/a"] }), "page_leading_slash /navigation/0/pages/0"],
  [withGroup({ pages: ["a.mdx", "v1.2"] }), "page_extension /navigation/0/pages/0"],
  [withGroup({ pages: ["a", " "] }), "empty_text /navigation/0/pages/1"],
  [withAnchors({ name: "", url: "api" }), "empty_text /anchors/0/name"],
  [{ tabs: [{ name: " ", url: "api" }] }, "empty_text /tabs/0/name"],
  [{ topbarLinks: [{ name: "A" }] }, "missing_recommended /topbarLinks/0"],
  [{ api: { auth: { method: "basic", name: "user" } } }, "basic_auth_name /api/auth/name"],
  [
    { tabs: [{ name: "A", url: "/docs/api" }], ...withAnchors({ name: "B", url: "intro" }) },
    "unmatched_url /tabs/0/url",
  ],
  [
    { tabs: [{ name: "A", url: "/docs/api" }], ...withAnchors({ name: "B", url: "/docs/sdk" }) },
    "unmatched_url /anchors/0/url",
  ],
];

const notices: readonly RuleCase[] = [
  [withGroup({ pages: ["a", "b", "a/"] }), "repeated_page /navigation/0/pages/2"],
  [withGroup({ pages: [{ group: "", pages: ["a"] }] }), "undocumented_form /navigation/0/pages/0"],
  [withGroup({ icon: 5 }), "undocumented_property /navigation/0/icon"],
  [{ ...withGroup({ version: "v1" }), versions: ["v1"] }, "undocumented_property /navigation/0/version"],
  [withColors({ anchors: { from: "red", via: 1 } }), "undocumented_property /colors/anchors"],
  [{ feedback: { thumbsRating: 1 } }, "undocumented_property /feedback/thumbsRating"],
  [
    { footerSocials: { x: "https://x.com/a", youtube: "http://youtu.be/a" } },
    "undocumented_property /footerSocials/x",
    "undocumented_property /footerSocials/youtube",
  ],
  [{ $schema: "https://example.com" }, "undocumented_property /$schema"],
  [{ versions: [{ name: "v1" }, "v2"] }, "undocumented_form /versions/0"],
  [{ footerSocials: [{ type: "x" }] }, "undocumented_form /footerSocials"],
  [
    withAnchors({ ...validAnchor, color: { from: "#fff", via: "#888", to: "#000" } }),
    "undocumented_property /anchors/0/color/via",
  ],
  [{ api: { maintainOrder: true } }, "deprecated_property /api/maintainOrder"],
  [
    { analytics: 1, redirects: 1, metadata: 1, seo: 1, primaryTab: 1, search: 1 },
    "undocumented_property /analytics",
    "undocumented_property /redirects",
    "undocumented_property /metadata",
    "undocumented_property /seo",
    "undocumented_property /primaryTab",
    "undocumented_property /search",
  ],
  [
    {
      tabs: [{ name: "A", url: "reference", openapi: "a.json" }],
      ...withAnchors({ name: "B", url: "b", openapi: "b.json" }),
    },
    "undocumented_property /tabs/0/openapi",
    "undocumented_property /anchors/0/openapi",
  ],
  [
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

const accepted: readonly (readonly [change: JsonObject])[] = [
  [{}],
  [withGroup({})],
  [{ logo: "/logo.svg" }],
  [withColors({ light: "#FFF", dark: "#0aF9bC" })],
  [withAnchors({ ...validAnchor, iconType: "sharp-duotone-solid" })],
  [{ topbarCtaButton: { type: "github", url: "https://github.com/a/b" } }],
  [{ topbarLinks: [{ url: "https://a.b" }] }],
  [
    {
      tabs: [
        { name: "A", url: "/docs/api" },
        { name: "B", url: "/docs/intro" },
      ],
    },
  ],
  [withAnchors({ name: "A", url: "https://a.b" }, { name: "B", url: "mailto:a@b" })],
  [withAnchors({ name: "A", url: "/api/" })],
  [{ api: { baseUrl: ["https://a", "https://b"] }, openapi: ["a.json"] }],
];

const casesOf = (rows: readonly RuleCase[]) => rows.map(([change, ...places]) => [change, places] as const);

describe("decision 17: errors", () => {
  test.each(casesOf(errors))("%j: %j", (change, expected) => {
    const report = checkDocument({ ...validSite, ...change });
    expect(report).toMatchObject({ valid: false, warnings: [] });
    expect(placesOf(report.errors)).toEqual(expected);
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
  test.each(casesOf(warnings))("%j: %j", (change, expected) => {
    const report = checkDocument({ ...validSite, ...change });
    expect(report).toMatchObject({ valid: true, errors: [] });
    expect(placesOf(report.warnings)).toEqual(expected);
    const strict = checkDocument({ ...validSite, ...change }, { strict: true });
    expect(strict).toEqual({ valid: false, errors: report.warnings, warnings: [], notices: [] });
  });

  test.each(casesOf(notices))("notice: %j: %j", (change, expected) => {
    const report = checkDocument({ ...validSite, ...change });
    expect(report).toMatchObject({ valid: true, errors: [], warnings: [] });
    expect(placesOf(report.notices)).toEqual(expected);
    expect(checkDocument({ ...validSite, ...change }, { strict: true })).toEqual(report);
  });

  test("there is one notice of a kind, with the number of places and the first", () => {
    const nested = (page: string) => ({ group: "", pages: [page], icon: "x" });
    const group = { group: "", pages: ["b", nested("c"), nested("d")], icon: "x" };
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
        message: expect.stringMatching(/^"navigation\[1\]\.pages\[1\]\.icon" .* Found in 3 places\.$/),
      },
    ]);
  });

  test("paths of pages with the same fault are reported once, also where warnings are errors", () => {
    const pages = ["/a", "b.md", "/c", "d", "/e.mdx"];
    const document = { ...validSite, navigation: [{ group: "", pages }] };
    const expected = [
      {
        code: "page_leading_slash",
        pointer: "/navigation/0/pages/0",
        message: expect.stringMatching(/"\/a"\. Found in 3 places\.$/),
        count: 3,
      },
      {
        code: "page_extension",
        pointer: "/navigation/0/pages/1",
        message: expect.stringMatching(/"b\.md"\. Found in 2 places\.$/),
        count: 2,
      },
    ];
    expect(checkDocument(document).warnings).toEqual(expected);
    expect(checkDocument(document, { strict: true })).toMatchObject({ valid: false, errors: expected });
  });

  test.each<readonly [change: JsonObject, path: string]>([
    [{ colors: { primary: "#fff", light: "x" } }, "colors.light"],
    [{ colors: { primary: "#fff", anchors: "#fff" } }, "colors.anchors"],
    [{ topbarCtaButton: { type: "x", url: "u", name: "n" } }, "topbarCtaButton.type"],
    [{ tabs: [{ name: "", url: "a" }] }, "tabs[0].name"],
    [{ modeToggle: { default: 1 } }, "modeToggle.default"],
    [{ modeToggle: { ["x".repeat(300)]: 1 } }, "modeToggle"],
  ])("the message for %j names the path", (change, path) => {
    const { errors, warnings, notices } = checkDocument({ ...validSite, ...change });
    const messages = [...errors, ...warnings, ...notices].map(({ message }) => message);
    expect(messages.filter((message) => message.includes(`"${path}"`))).toHaveLength(1);
  });

  test.each<readonly [change: JsonObject, path: string]>([
    [{ versions: [{ name: "v1" }, "v2"] }, "versions[0]"],
    [{ footerSocials: [{ name: "x", url: "https://x.example" }] }, "footerSocials"],
  ])("a form that the typed view has no type for is reported: %j", (change, path) => {
    const { notices } = checkDocument({ ...validSite, ...change });
    expect(notices).toMatchObject([
      {
        code: "undocumented_form",
        message: expect.stringMatching(/is stored unchanged, but left out of `settings` in GraphQL\.$/),
      },
    ]);
    expect(notices[0]?.message).toContain(`("${path}")`);
  });

  test.each(["favicon", "colors"])("%s is missing", (name) => {
    const { [name]: _, ...rest } = validSite;
    expect(checkDocument(rest)).toMatchObject({
      valid: true,
      warnings: [{ code: "missing_recommended", pointer: "" }],
    });
  });
});

test.each(accepted)("reports nothing for %j", (change) => {
  expect(checkDocument({ ...validSite, ...change })).toEqual({
    valid: true,
    errors: [],
    warnings: [],
    notices: [],
  });
});

const suggested: readonly (readonly [change: JsonObject, meant: string])[] = [
  [{ topbarlinks: [] }, "topbarLinks"],
  [{ topbar_links: [] }, "topbarLinks"],
  [{ versons: [] }, "versions"],
  [{ openapii: "" }, "openapi"],
  [{ opanapi: "" }, "openapi"],
  [{ tbas: [] }, "tabs"],
  [{ fotterSocails: {} }, "footerSocials"],
  [{ anchor: [] }, "anchors"],
  [withAnchors({ name: "A", url: "api", icontype: "thin" }), "iconType"],
  [withGroup({ icn: "x" }), "icon"],
  [{ modeToggle: { default: "drak" } }, "dark"],
  [{ api: { auth: { method: "Bearer" } } }, "bearer"],
  [{ versions: ["v1.0", "v2.0"], ...withAnchors({ name: "A", url: "api", version: "v2.O" }) }, "v2.0"],
];

describe("suggests a correction for a likely typo", () => {
  test.each(suggested)("%j: %s", (change, meant) => {
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
