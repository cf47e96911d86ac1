import { type SiteConfigCode, type SiteConfigReport, withoutPositions } from "../src/findings.js";
import { validateSiteConfig } from "../src/validate.js";

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

export interface JsonObject {
  readonly [key: string]: JsonValue;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A site configuration without findings. */
export const validSite: JsonObject = {
  name: "Acme",
  navigation: [{ group: "Start", pages: ["intro", "api/users"] }],
  favicon: "/favicon.svg",
  colors: { primary: "#0af" },
};

export const validAnchor: JsonObject = { name: "A", url: "api" };

/** Code and JSON pointer of each finding. */
export type Places = readonly `${SiteConfigCode} ${string}`[];

/** A change of the valid document, and the expected findings. */
export type RuleCase = readonly [change: JsonObject, ...Places];

export function checkDocument(document: JsonValue, options = { strict: false }): SiteConfigReport {
  return withoutPositions(validateSiteConfig(JSON.stringify(document), options));
}

export function placesOf(findings: SiteConfigReport["errors"]): Places {
  return findings.map(({ code, pointer }) => `${code} ${pointer}` as const);
}

export function withGroup(group: JsonObject): JsonObject {
  return { navigation: [{ group: "", pages: ["a"], ...group }] };
}

export function withColors(more: JsonObject): JsonObject {
  return { colors: { primary: "#0af", ...more } };
}

export function withAnchors(...anchors: readonly JsonObject[]): JsonObject {
  return { anchors };
}

/** 20 KB on one line, and 3.6 MB with one line per zero. */
export function deepZeros(): JsonValue {
  const zeros: JsonValue = Array.from({ length: 9_000 }, () => 0);
  return Array.from({ length: 195 }).reduce<JsonValue>((inner) => [inner], zeros);
}

/** The navigation of a site with 9,000 pages: below 256 KiB on one line, above it when indented. */
export function manyPages(): JsonValue {
  return Array.from({ length: 60 }, (_, group) => ({
    group: `Group ${group}`,
    pages: Array.from({ length: 150 }, (_, page) => `guides/group-${group}/page-${page}`),
  }));
}
