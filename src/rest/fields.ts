import { findNearest } from "@user-groups/site-config/near-name";
import { z } from "zod";
import { DomainError, type FieldPath, invalidField } from "../domain/shared/errors.js";
import { isObject } from "../domain/shared/json.js";
import { MAX_TEXT_LENGTH } from "../domain/shared/text-field.js";

/** Keyword of this API: maximum size and depth of a JSON value, and the range of its numbers. */
export const JSON_LIMITS = "x-json-limits";

/** Maximum number of unknown fields that are compared with the absent one. */
const MAX_COMPARED = 100;

/** JSON Schema of `parseText` (decision 12). The format: no character U+0000 and no unpaired surrogate. */
export const TEXT = { type: "string", minLength: 1, maxLength: MAX_TEXT_LENGTH, format: "text" } as const;

export const USER_GROUP_ID = {
  ...TEXT,
  description: "Your ID of the user group, unique within an environment of your account.",
  examples: ["acme"],
} as const;

/** JSON Schema of `parseToken`. */
export const CURRENT_TOKEN = {
  type: "string",
  minLength: 1,
  description: "The user group's current token, from the latest reply.",
  examples: ["ugt_…"],
} as const;

/** A text in a reply. */
export function text(description: string) {
  return z.string().meta({ description });
}

/** An integer in a reply. @param documented further JSON Schema */
export function integer(documented: object) {
  return z.number().meta({ type: "integer", ...documented });
}

/** The first field of all successful replies (decision 3). */
export const SUCCESS = z
  .literal(1)
  .meta({ type: "integer", description: "Always 1; the reply to a failed request has 0." });

/**
 * Defines a field of a request: a parser of the domain validates it, so that both APIs have the same limits and messages.
 * @param documented its JSON Schema
 * @param absentRule completes the error message of a required field that is absent
 */
export function field<Value>(
  parse: (value: unknown, field: FieldPath) => Value,
  documented: object,
  absentRule = "is required",
) {
  return z
    .unknown()
    .meta({ ...documented })
    .transform((value, context): Value => {
      // zod drops the issue if the field is optional.
      if (value === undefined) {
        context.issues.push({ code: "custom", message: absentRule, input: value });
        return z.NEVER;
      }
      try {
        return parse(value, []);
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== "invalid_field") throw error;
        for (const { field: path, message } of error.fields)
          context.issues.push({ code: "custom", path: [...path], message, input: value });
        return z.NEVER;
      }
    });
}

/** Accepts any non-empty text, so that an unknown token is "not found" rather than "invalid". */
export function parseToken(value: unknown, field: FieldPath): string {
  if (typeof value !== "string") throw invalidField(field, "must be a string");
  if (value === "") throw invalidField(field, "must not be empty");
  return value;
}

/**
 * Parses a part of a request. Unknown fields are ignored unless the schema is strict (decision 11).
 * @throws DomainError `invalid_field` with every invalid field, in the order of the schema (decision 12c)
 */
export function parse<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  const { data, error } = schema.safeParse(value);
  if (!error) return data;
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  const sent = isObject(value) ? value : {};
  const fields = error.issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => {
        const nearest = known.find((name) => isNear(key, name));
        const hint = nearest === undefined ? "" : `; it may be meant as \`${nearest}\``;
        return { field: [key], message: `is not a field of this operation${hint}` };
      });
    const [name = "", ...rest] = issue.path.map(String);
    const isAbsent = rest.length === 0 && sent[name] === undefined;
    return [
      { field: [name, ...rest], message: issue.message + (isAbsent ? nearFieldHint(name, sent, known) : "") },
    ];
  });
  const { field = [], message = "is invalid" } = fields[0] ?? {};
  throw new DomainError("invalid_field", message, { field, fields });
}

/**
 * Completes the message for a required field that is absent with an unknown field that was sent, if it may be meant; else an empty string.
 * @param known the fields of the operation
 */
export function nearFieldHint(
  name: string,
  sent: Readonly<Record<string, unknown>>,
  known: readonly string[],
): string {
  const unknown = Object.keys(sent).filter((key) => !known.includes(key));
  const near = unknown.slice(0, MAX_COMPARED).find((key) => isNear(key, name));
  return near === undefined ? "" : `; \`${near}\` is not a field of this operation`;
}

/** Returns whether a field may be meant by another name: one of its spellings, or one with the same last word, as `provided_id` and `id`. */
function isNear(key: string, name: string): boolean {
  if (key.length > MAX_TEXT_LENGTH) return false;
  const lastWord = (text: string) =>
    text
      .split(/[^a-zA-Z]+|(?<=[a-z])(?=[A-Z])/)
      .at(-1)
      ?.toLowerCase();
  return findNearest(key, [name]) !== null || lastWord(key) === lastWord(name);
}

/** Defines a query parameter, which must not be repeated. @param documented its OpenAPI parameter object without name and place */
export function parameter<Value>(parseOnce: (text: string, field: FieldPath) => Value, documented: object) {
  const parseValue = (value: unknown, path: FieldPath) => {
    if (typeof value !== "string") throw invalidField(path, "must be given once");
    return parseOnce(value, path);
  };
  return field(parseValue, {})
    .exactOptional()
    .meta({ ...documented });
}

/** Returns parameters as OpenAPI parameter objects. */
export function documentParameters(place: "path" | "query", parameters?: z.ZodObject) {
  return Object.entries(parameters?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: place,
    ...schema.meta(),
  }));
}

/** The named schemas of the OpenAPI document. */
export const COMPONENTS = z.registry<{ readonly id: string }>();

/** Returns the named schemas as JSON Schema (2020-12), by name. */
export function componentSchemas() {
  const uri = (id: string) => `#/components/schemas/${id}`;
  const { schemas } = z.toJSONSchema(COMPONENTS, { io: "input", unrepresentable: "any", uri });
  return Object.fromEntries(
    Object.entries(schemas)
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]),
  );
}
