import { describe, expect, test } from "vitest";
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

const errors: readonly RuleCase[] = [
  ["name is empty", { name: "" }, [["empty_value", "/name"]]],
  ["name is null", { name: null }, [["wrong_type", "/name"]]],
  ["navigation is text", { navigation: "intro" }, [["wrong_type", "/navigation"]]],
  ["navigation is empty", { navigation: [] }, [["empty_value", "/navigation"]]],
  ["navigation is an object", { navigation: { tabs: [] } }, [["docs_json_format", "/navigation"]]],
  ["an item of navigation is a page", { navigation: ["intro"] }, [["wrong_type", "/navigation/0"]]],
  ["group is a number", withGroup({ group: 1, pages: ["a"] }), [["wrong_type", "/navigation/0/group"]]],
  ["group is missing", withGroup({ pages: ["a"] }), [["missing_property", "/navigation/0"]]],
  ["pages is missing", withGroup({ group: "" }), [["missing_property", "/navigation/0"]]],
  ["pages is empty", withGroup({ group: "", pages: [] }), [["empty_value", "/navigation/0/pages"]]],
  ["pages is a string", withGroup({ group: "", pages: "a" }), [["wrong_type", "/navigation/0/pages"]]],
  [
    "a page is a number",
    withGroup({ group: "", pages: ["a", 5] }),
    [["wrong_type", "/navigation/0/pages/1"]],
  ],
  ["a page is null", withGroup({ group: "", pages: [null] }), [["wrong_type", "/navigation/0/pages/0"]]],
  ["favicon is an object", { favicon: {} }, [["wrong_type", "/favicon"]]],
  ["logo is an array", { logo: ["/a.svg"] }, [["wrong_type", "/logo"]]],
  [
    "logo.light is no string",
    { logo: { light: 1, dark: 2 } },
    [
      ["wrong_type", "/logo/light"],
      ["wrong_type", "/logo/dark"],
    ],
  ],
  ["colors without primary", { colors: { light: "#fff" } }, [["missing_property", "/colors"]]],
  ["a color by name", { colors: { primary: "red" } }, [["invalid_color", "/colors/primary"]]],
  ["a color with alpha", { colors: { primary: "#11223344" } }, [["invalid_color", "/colors/primary"]]],
  ["a color of two digits", withColors({ light: "#12" }), [["invalid_color", "/colors/light"]]],
  ["a color with a line end", withColors({ dark: "#123\n" }), [["invalid_color", "/colors/dark"]]],
  ["the background is one color", withColors({ background: "#000" }), [["wrong_type", "/colors/background"]]],
  [
    "a color of the background",
    withColors({ background: { light: "#fff", dark: "#00" } }),
    [["invalid_color", "/colors/background/dark"]],
  ],
  [
    "topbarCtaButton.type",
    { topbarCtaButton: { name: "Go", url: "/", type: "gitlab" } },
    [["invalid_value", "/topbarCtaButton/type"]],
  ],
  [
    "topbarCtaButton without url",
    { topbarCtaButton: { name: "Go" } },
    [["missing_property", "/topbarCtaButton"]],
  ],
  [
    "a link without name",
    { topbarCtaButton: { type: "link", url: "/" } },
    [["missing_property", "/topbarCtaButton"]],
  ],
  [
    "a link by default without name",
    { topbarCtaButton: { url: "/" } },
    [["missing_property", "/topbarCtaButton"]],
  ],
  [
    "a button without all",
    { topbarCtaButton: {} },
    [
      ["missing_property", "/topbarCtaButton"],
      ["missing_property", "/topbarCtaButton"],
    ],
  ],
  ["api.auth.method", { api: { auth: { method: "Bearer" } } }, [["invalid_value", "/api/auth/method"]]],
  ["api.playground.mode", { api: { playground: { mode: "" } } }, [["invalid_value", "/api/playground/mode"]]],
  ["api.baseUrl", { api: { baseUrl: [1] } }, [["wrong_type", "/api/baseUrl/0"]]],
  ["modeToggle.default", { modeToggle: { default: "auto" } }, [["invalid_value", "/modeToggle/default"]]],
  ["isHidden as text", { modeToggle: { isHidden: "true" } }, [["wrong_type", "/modeToggle/isHidden"]]],
  ["topAnchor.iconType", { topAnchor: { iconType: "bold" } }, [["invalid_value", "/topAnchor/iconType"]]],
  [
    "iconType of an anchor",
    withAnchors({ ...validAnchor, iconType: "Solid" }),
    [["invalid_value", "/anchors/0/iconType"]],
  ],
  ["an anchor without name", withAnchors({ url: "api" }), [["missing_property", "/anchors/0"]]],
  ["an anchor without url", withAnchors({ name: "A" }), [["missing_property", "/anchors/0"]]],
  [
    "the color of an anchor",
    withAnchors({ ...validAnchor, color: "blue" }),
    [["invalid_color", "/anchors/0/color"]],
  ],
  [
    "a gradient",
    withAnchors({ ...validAnchor, color: { from: "#fff", to: "white" } }),
    [["invalid_color", "/anchors/0/color/to"]],
  ],
  ["a tab without name", { tabs: [{ url: "api" }] }, [["missing_property", "/tabs/0"]]],
  ["a tab without url", { tabs: [{ name: "A" }] }, [["missing_property", "/tabs/0"]]],
  ["a version as a number", { versions: [1] }, [["wrong_type", "/versions/0"]]],
  ["openapi as an object", { openapi: {} }, [["wrong_type", "/openapi"]]],
  ["a profile as an object", { footerSocials: { github: {} } }, [["wrong_type", "/footerSocials/github"]]],
  ["footerSocials as text", { footerSocials: "x" }, [["wrong_type", "/footerSocials"]]],
  ["U+0000 in a string", { name: "a\u0000" }, [["unstorable_text", "/name"]]],
  ["U+0000 in a color", { colors: { primary: "\u0000" } }, [["unstorable_text", "/colors/primary"]]],
];

describe("decision 17: errors", () => {
  test.each(errors)("%s", (_, change, expected) => {
    const report = checkDocument({ ...validSite, ...change });
    expect(report).toMatchObject({ valid: false, warnings: [] });
    expect(placesOf(report.errors)).toEqual(expected);
  });

  test.each(["name", "navigation"])("%s is missing", (name) => {
    const { [name]: _, ...rest } = validSite;
    expect(placesOf(checkDocument(rest).errors)).toEqual([["missing_property", ""]]);
  });

  test.each([[null], [[]], ["{}"], [1], [true]])("%j is not an object", (document) => {
    expect(placesOf(checkDocument(document).errors)).toEqual([["wrong_type", ""]]);
  });
});

test("rejects half a surrogate pair in a key below an unknown property", () => {
  const report = checkDocument({ ...validSite, sections: { "\ud800/~": 1 } });
  expect(placesOf(report.errors)).toEqual([["unstorable_text", "/sections/\ud800~1~0"]]);
  expect(placesOf(report.warnings)).toEqual([["unknown_property", "/sections"]]);
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
    ["wrong_type", "/navigation/0/group"],
    ["wrong_type", "/navigation/0/pages/0"],
    ["wrong_type", "/versions"],
    ["wrong_type", "/topbarCtaButton/type"],
  ]);
  expect(report.warnings).toEqual([]);
});
