import { z } from "zod";
import { DomainError, type FieldPath, invalidField } from "../domain/shared/errors.js";
import { MAX_TEXT_LENGTH } from "../domain/shared/text-field.js";

/** Keyword of this API: maximum size and depth of a JSON value, and the range of its numbers. */
export const JSON_LIMITS = "x-json-limits";

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
  const fields = error.issues.flatMap((issue) =>
    issue.code === "unrecognized_keys"
      ? issue.keys.map((key) => ({ field: [key], message: "is not a field of this operation" }))
      : [{ field: issue.path.map(String), message: issue.message }],
  );
  const { field = [], message = "is invalid" } = fields[0] ?? {};
  throw new DomainError("invalid_field", message, { field, fields });
}

/** The named schemas of the OpenAPI document. */
export const COMPONENTS = z.registry<{ readonly id: string }>();

/** Returns the named schemas as JSON Schema (2020-12). */
export function componentSchemas() {
  const uri = (id: string) => `#/components/schemas/${id}`;
  const { schemas } = z.toJSONSchema(COMPONENTS, { io: "input", unrepresentable: "any", uri });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]),
  );
}
