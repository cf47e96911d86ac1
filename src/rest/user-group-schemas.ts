import { z } from "zod";
import { ENVIRONMENTS } from "../domain/accounts/environment.js";
import { MAX_FRACTION_DIGITS, MAX_INTEGER_DIGITS } from "../domain/shared/json-text.js";
import { MAX_PROPERTIES_BYTES, MAX_PROPERTIES_DEPTH } from "../domain/user-groups/properties.js";
import { integer, JSON_LIMITS, text } from "./fields.js";

export const EXAMPLE = { region: "EU", plan: "gold" };

/** JSON Schema of `parseProperties`. */
export const PROPERTIES = {
  description: `Free-form properties, available as variables in dashboards. At most ${MAX_PROPERTIES_BYTES.toLocaleString("en")} bytes of JSON text without insignificant white space, and ${MAX_PROPERTIES_DEPTH} levels including the object itself. Numbers can have any precision, with at most ${MAX_INTEGER_DIGITS.toLocaleString("en")} digits before the decimal point and ${MAX_FRACTION_DIGITS.toLocaleString("en")} after it; they are stored exactly. \`null\` means no properties.`,
  type: ["object", "null"],
  additionalProperties: true,
  [JSON_LIMITS]: {
    maxBytes: MAX_PROPERTIES_BYTES,
    maxDepth: MAX_PROPERTIES_DEPTH,
    maxIntegerDigits: MAX_INTEGER_DIGITS,
    maxFractionDigits: MAX_FRACTION_DIGITS,
  },
  examples: [EXAMPLE],
};

/** The fields of a user group in every reply. */
export const TOKEN_FIELDS = {
  team_id: integer({
    description: "The user group's internal ID. You do not need to store it.",
    examples: [1],
  }),
  token: text(
    "The user group token, which identifies the user group in embedded dashboards. Keep it secret.",
  ).meta({ examples: ["ugt_…"] }),
  name: text("The user group's name.").meta({ examples: ["Acme Inc."] }),
  provided_id: text("The `user_group_id` from the request that created the user group.").meta({
    examples: ["acme"],
  }),
};

/** The fields in the replies of GET and PUT. */
export const FIELDS = {
  ...TOKEN_FIELDS,
  properties: z.unknown().meta({
    ...PROPERTIES,
    description:
      "The stored JSON text of the properties, without insignificant white space; `null` if there are none. Key order and number formats are those of the request that last changed a value: properties that equal the stored ones as JSON values leave the stored text unchanged. If you send numbers beyond the precision of a 64-bit float, parse the reply with a library that preserves them.",
  }),
};

/** The field in the replies of PUT and POST. */
export const TAG = {
  api_environment_tag: z
    .enum(ENVIRONMENTS)
    .meta({ description: "The environment of the user group, which is that of the API key." }),
};

export function group<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape).meta({ description: "The user group." });
}
