import fc from "fast-check";
import { expect, test } from "vitest";
import type { SiteConfigCode } from "../src/findings.js";
import { validSiteConfig } from "./arbitrary.js";
import { checkDocument, isObject, type JsonObject, type JsonValue, placesOf } from "./documents.js";

/** Handwritten, with each property of the format. */
const everything: JsonObject = {
  name: "Acme",
  navigation: [{ group: "Start", pages: ["intro", { group: "More", pages: ["api/users", "guide/a"] }] }],
  logo: { light: "/light.svg", dark: "/dark.svg", href: "https://acme.test" },
  favicon: "/favicon.svg",
  colors: {
    primary: "#0a9",
    light: "#123456",
    dark: "#ABCDEF",
    background: { light: "#fff", dark: "#000" },
  },
  topbarLinks: [{ name: "Help", url: "mailto:help@acme.test" }],
  topbarCtaButton: { type: "link", url: "https://acme.test", name: "Go" },
  versions: ["v1", "v2"],
  anchors: [
    {
      icon: "book",
      name: "API",
      url: "api",
      color: { from: "#111", to: "#222222" },
      version: "v1",
      isDefaultHidden: true,
      iconType: "thin",
    },
    { name: "Guide", url: "guide", color: "#333" },
  ],
  topAnchor: { name: "Docs", icon: "book-open", iconType: "solid" },
  tabs: [{ name: "API", url: "api" }],
  api: {
    baseUrl: ["https://a.acme.test", "https://b.acme.test"],
    auth: { method: "basic", name: "a:b", inputPrefix: "Token " },
    playground: { mode: "simple" },
    maintainOrder: true,
  },
  openapi: ["openapi.json"],
  footerSocials: {
    website: "https://acme.test",
    facebook: "https://facebook.test",
    twitter: "https://twitter.test",
    discord: "https://discord.test",
    slack: "https://slack.test",
    github: "https://github.test",
    linkedin: "https://linkedin.test",
    instagram: "https://instagram.test",
    "hacker-news": "https://news.test",
  },
  feedback: { suggestEdit: true, raiseIssue: false },
  modeToggle: { default: "dark", isHidden: true },
  backgroundImage: "/back.png",
};

const MISSING = Symbol("missing");
type Wrong = JsonValue | typeof MISSING;

/** Invalid values by type and their error, in addition to null and numbers, which are of the wrong type for every property. */
const WRONG: readonly (readonly [place: RegExp, code: SiteConfigCode, values: readonly Wrong[]])[] = [
  [/\/(iconType|type|method|mode|default)$/, "invalid_value", ["none", ""]],
  [
    /^(?!\/logo).*\/(primary|light|dark|color|from|to)$/,
    "invalid_color",
    ["red", "#12", "#11223344", "#123\n", ""],
  ],
  [/\/(group|name|url)$/, "wrong_type", [["a"], {}]],
  [/\/pages$|^\/navigation$/, "empty_value", [[]]],
  [/\/pages$/, "wrong_type", ["a", {}]],
  [/^\/name$/, "empty_value", [""]],
  [/^\/navigation$/, "wrong_type", ["a"]],
  [/^\/navigation$/, "docs_json_format", [{ tabs: [] }]],
  [
    /^\/(name|navigation|colors\/primary|topbarCtaButton\/url|(anchors|tabs)\/\d+\/(name|url))$|\/(group|pages)$/,
    "missing_property",
    [MISSING],
  ],
];

test("the handwritten document has no errors", () => {
  const { errors, warnings, notices } = checkDocument(everything);
  expect([...errors, ...warnings]).toEqual([]);
  expect(placesOf(notices)).toEqual([
    "undocumented_form /navigation/0/pages/1",
    "deprecated_property /api/maintainOrder",
  ]);
});

test("reports any single invalid value at its path or its parent's", () => {
  for (const path of pathsOf(everything))
    for (const [wrong, code] of wrongFor(path)) expectFinding(everything, path, wrong, code);
});

test("does the same in any valid document", () => {
  fc.assert(
    fc.property(validSiteConfig(), fc.nat(), fc.nat(), (document, place, choice) => {
      const paths = pathsOf(document);
      const path = paths[place % paths.length] ?? [];
      const wrong = wrongFor(path);
      const [value, code] = wrong[choice % wrong.length] ?? [null, "wrong_type"];
      expectFinding(document, path, value, code);
    }),
    { numRuns: 2000 },
  );
});

type Path = readonly (string | number)[];

/** Every wrong value for a path, with its error. */
function wrongFor(path: Path): readonly (readonly [wrong: Wrong, code: SiteConfigCode])[] {
  const special = WRONG.filter(([place]) => place.test(pointerOf(path)));
  const typed = [null, 17].map((value) => [value, "wrong_type"] as const);
  return [...typed, ...special.flatMap(([, code, values]) => values.map((value) => [value, code] as const))];
}

function expectFinding(document: JsonValue, path: Path, wrong: Wrong, code: SiteConfigCode): void {
  const pointer = pointerOf(wrong === MISSING ? path.slice(0, -1) : path);
  expect(placesOf(checkDocument(replace(document, path, wrong)).errors)).toEqual([`${code} ${pointer}`]);
}

function pathsOf(value: JsonValue, path: Path = []): Path[] {
  return [path, ...children(value).flatMap(([key, child]) => pathsOf(child, [...path, key]))];
}

function children(value: JsonValue): (readonly [string | number, JsonValue])[] {
  if (value === null || typeof value !== "object") return [];
  return isObject(value) ? Object.entries(value) : value.map((item, index) => [index, item]);
}

function replace(value: JsonValue, [key, ...rest]: Path, by: Wrong): JsonValue {
  const changed = (child: JsonValue) => (rest.length === 0 && by !== MISSING ? by : replace(child, rest, by));
  if (key === undefined) return by === MISSING ? value : by;
  const entries = children(value)
    .filter(([name]) => by !== MISSING || rest.length > 0 || name !== key)
    .map(([name, child]) => [name, name === key ? changed(child) : child] as const);
  return isObject(value) ? Object.fromEntries(entries) : entries.map(([, child]) => child);
}

function pointerOf(path: Path): string {
  return path.map((key) => `/${key}`).join("");
}
