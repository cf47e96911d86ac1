import { isDeepStrictEqual } from "node:util";
import { type FieldPath, invalidField } from "../shared/errors.js";
import { FieldErrors } from "../shared/field-parsing.js";
import { isJsonObject, isObject, type JsonObject, type JsonValue, memberOf } from "../shared/json.js";
import { parseJsonObject } from "../shared/json-value.js";
import { parseTemplateText, type Reference, referencesIn, type TemplateText } from "./reference.js";
import { valueRule } from "./value.js";

export const SESSION_ALGORITHMS = ["ES256", "HS256"] as const;

export type SessionAlgorithm = (typeof SESSION_ALGORITHMS)[number];

/** Limits of a template's claims (decision 60). */
export const MAX_CLAIMS_BYTES = 8 * 1024;
export const MAX_CLAIMS_DEPTH = 16;
export const MAX_REFERENCES = 64;

/** Claims that the service sets: with keys of ours, also whose token it is. */
const OWN_CLAIMS = {
  HS256: ["iat", "exp", "nbf"],
  ES256: ["iat", "exp", "nbf", "iss", "aud"],
} as const satisfies Readonly<Record<SessionAlgorithm, readonly string[]>>;

/**
 * Validates the claims of a template, and each reference in them.
 * @throws DomainError `invalid_field` with every invalid claim
 */
export function parseClaims(value: unknown, field: FieldPath, algorithm: SessionAlgorithm): JsonObject {
  if (!isObject(value)) throw invalidField(field, "must be a JSON object");
  const claims = parseJsonObject(value, field, { maxDepth: MAX_CLAIMS_DEPTH, storable: true });
  if (Buffer.byteLength(JSON.stringify(claims)) > MAX_CLAIMS_BYTES)
    throw invalidField(field, `must be at most ${MAX_CLAIMS_BYTES} bytes of JSON`);
  const errors = new FieldErrors("invalid_field");
  for (const name of OWN_CLAIMS[algorithm]) {
    if (Object.hasOwn(claims, name))
      errors.add([...field, name], `must be omitted: the service sets it with ${algorithm}`);
  }
  let references = 0;
  mapTexts(claims, field, (text, path) => {
    errors.collect(() => (references += requireTemplateText(text, path)));
    return text;
  });
  if (references > MAX_REFERENCES) errors.add(field, `must have at most ${MAX_REFERENCES} references`);
  errors.throwIfAny();
  return claims;
}

/**
 * Replaces each text of a JSON object.
 * @param replace gets the text and its path
 * @throws DomainError `invalid_field` if a key has a reference
 */
export function mapTexts(
  object: JsonObject,
  field: FieldPath,
  replace: (text: string, path: FieldPath) => JsonValue,
): JsonObject {
  const map = (value: JsonValue, path: FieldPath): JsonValue => {
    if (typeof value === "string") return replace(value, path);
    if (isList(value)) return value.map((item, index) => map(item, [...path, String(index)]));
    return isObject(value) ? mapTexts(value, path, replace) : value;
  };
  const entries = Object.entries(object).map(([key, value]): [string, JsonValue] => {
    const path = [...field, key];
    if (key.includes("{{")) throw invalidField(path, "must have a constant name, without `{{`");
    return [key, map(value, path)];
  });
  // Unlike assignment, this also creates an own property for the key `__proto__`.
  return Object.fromEntries(entries);
}

/** Paths of changed claims in an audit entry, at most. */
const MAX_CHANGED = 100;

/** Returns the paths of the claims that differ, such as `claims.params.region`; those of lists are not looked into. */
export function changedClaims(former: JsonObject, current: JsonObject): readonly `claims.${string}`[] {
  const compare = (
    one: JsonObject,
    other: JsonObject,
    path: `claims.${string}` | "claims",
  ): `claims.${string}`[] =>
    [...new Set([...Object.keys(one), ...Object.keys(other)])].flatMap((name) => {
      const [before, after] = [memberOf(one, name), memberOf(other, name)];
      const place = `${path}.${name}` as const;
      if (isDeepStrictEqual(before, after)) return [];
      return isJsonObject(before) && isJsonObject(after) ? compare(before, after, place) : [place];
    });
  return compare(former, current, "claims").slice(0, MAX_CHANGED);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Returns the number of references in a text. @throws DomainError `invalid_field` */
function requireTemplateText(text: string, path: FieldPath): number {
  const parts = parseTemplateText(text, path);
  const references = referencesIn(parts);
  for (const reference of references) {
    const refuse = (rule: string) => invalidField(path, `has \`${reference.source}\`, which ${rule}`);
    if (!reference.oneOf && path.some((name) => /role/i.test(name)))
      throw refuse('must say which roles it may give, as `| oneOf("viewer", "editor")` does');
    const rule = parts.length === 1 ? wholeRule(reference) : insideRule(reference, parts);
    if (rule !== undefined) throw refuse(rule);
    const { fallback } = reference;
    const fallbackRule =
      fallback === undefined ? undefined : valueRule(reference, fallback, parts.length === 1);
    if (fallbackRule !== undefined) throw refuse(`has a default that ${fallbackRule}`);
  }
  return references.length;
}

/** Returns the rule that a reference violates which is a whole text. */
function wholeRule({ encoder }: Reference): string | undefined {
  return encoder === "sqlString" || encoder === "uri"
    ? `must be inside a longer text, or without \`| ${encoder}\``
    : undefined;
}

/** Returns the rule that a reference violates which is part of a longer text. */
function insideRule(reference: Reference, parts: TemplateText): string | undefined {
  const index = parts.indexOf(reference);
  const [before, after] = [textAt(parts, index - 1), textAt(parts, index + 1)];
  if (reference.encoder === undefined)
    return "must name how to write the value into the text: `| sqlString`, `| number`, `| uri` or `| text`";
  if (reference.encoder === "sqlString" && !isQuoted(parts, index))
    return "must stand alone between single quotes: `'{{ … | sqlString }}'`";
  // A negative number would begin a comment of SQL.
  if (reference.encoder === "number" && before.endsWith("-")) return "must not follow a minus sign";
  if (reference.encoder === "number" || reference.encoder === "sqlString") return undefined;
  if (referencesIn(parts).some(({ encoder }) => encoder === "sqlString"))
    return "must be written with `| sqlString` or `| number`, as the text is SQL";
  return /['"`]$/.test(before) || /^['"`]/.test(after)
    ? "must not stand beside a quote; in SQL, write `'{{ … | sqlString }}'`"
    : undefined;
}

/** Returns whether the part is all that stands between two single quotes, of which the first opens. */
function isQuoted(parts: TemplateText, index: number): boolean {
  const former = parts
    .slice(0, index)
    .filter((part) => typeof part === "string")
    .join("");
  const opens = former.split("'").length % 2 === 0;
  return opens && textAt(parts, index - 1).endsWith("'") && textAt(parts, index + 1).startsWith("'");
}

/** Returns the constant text at an index; an empty text for a reference, and beyond the ends. */
function textAt(parts: TemplateText, index: number): string {
  const part = parts[index];
  return typeof part === "string" ? part : "";
}
