import { MAX_FRACTION_DIGITS, MAX_INTEGER_DIGITS } from "../domain/shared/stored-json.js";
import { MAX_TEXT_LENGTH } from "../domain/shared/text-field.js";
import { MAX_MAPPING_ENTRIES } from "../domain/user-groups/mapping.js";
import { MAX_PROPERTIES_BYTES, MAX_PROPERTIES_DEPTH } from "../domain/user-groups/properties.js";

/**
 * Request bodies of `/api/user` in JSON Schema 2020-12, for the OpenAPI document (decision 42). The parsers in `requests.ts` validate
 * requests; a test compares the two. Unknown fields are ignored (decision 11).
 */

/** Text that PostgreSQL can store: no U+0000 and no unpaired surrogates. */
const TEXT_FORMAT = "text";
/** Custom keyword: maximum size and depth of a JSON value, and the range of its numbers. */
export const JSON_LIMITS = "x-json-limits";

/** IDs and names (decision 12). */
const TEXT = { type: "string", minLength: 1, maxLength: MAX_TEXT_LENGTH, format: TEXT_FORMAT } as const;
/** Any non-empty text is accepted, so that an unknown token is "not found" rather than "invalid". */
const TOKEN = { type: "string", minLength: 1 } as const;

export const PROPERTIES_SCHEMA = {
  description: `Free-form properties, available as variables in dashboards. At most ${MAX_PROPERTIES_BYTES.toLocaleString("en")} bytes of JSON text without insignificant white space, and ${MAX_PROPERTIES_DEPTH} levels including the object itself. Numbers can have any precision, with at most ${MAX_INTEGER_DIGITS.toLocaleString("en")} digits before the decimal point and ${MAX_FRACTION_DIGITS.toLocaleString("en")} after it; they are stored exactly. \`null\` means no properties.`,
  type: ["object", "null"],
  additionalProperties: true,
  [JSON_LIMITS]: {
    maxBytes: MAX_PROPERTIES_BYTES,
    maxDepth: MAX_PROPERTIES_DEPTH,
    maxIntegerDigits: MAX_INTEGER_DIGITS,
    maxFractionDigits: MAX_FRACTION_DIGITS,
  },
  examples: [{ region: "EU", plan: "gold" }],
} as const;

const MAPPING_SCHEMA = {
  description:
    "Maps schema IDs to data sources. A value is a data source's external ID or, if none matches, its internal ID. `null` means no mapping.",
  type: ["object", "null"],
  maxProperties: MAX_MAPPING_ENTRIES,
  propertyNames: TEXT,
  additionalProperties: TEXT,
  examples: [{ sales: "demo-sales" }],
} as const;

export const USER_GROUP_ID = {
  ...TEXT,
  description: "Your ID of the user group, unique within an environment of your account.",
  examples: ["acme"],
} as const;

const NAME = { ...TEXT, description: "The user group's name.", examples: ["Acme Inc."] } as const;

export const CURRENT_TOKEN = {
  ...TOKEN,
  description: "The user group's current token, from the latest reply.",
  examples: ["ugt_…"],
} as const;

export const GET_OR_CREATE_SCHEMA = {
  description: "The user group to get or create. `name` is required if it does not exist yet.",
  type: "object",
  required: ["user_group_id"],
  properties: {
    user_group_id: USER_GROUP_ID,
    name: NAME,
    properties: PROPERTIES_SCHEMA,
    mapping: MAPPING_SCHEMA,
  },
} as const;

/** Absent fields are unchanged, null clears properties and mapping (decision 7). */
export const UPDATE_SCHEMA = {
  ...GET_OR_CREATE_SCHEMA,
  description:
    "The user group to update. Omitted fields keep their values; `null` removes the `properties` or the `mapping`.",
} as const;

export const ROTATION_SCHEMA = {
  type: "object",
  required: ["current_token"],
  properties: { current_token: CURRENT_TOKEN },
} as const;

/** Fields other than the token must match the token's user group (decision 9). */
export const DELETION_SCHEMA = {
  type: "object",
  required: ["current_token"],
  properties: {
    current_token: CURRENT_TOKEN,
    user_group_id: {
      ...USER_GROUP_ID,
      description: "Your ID of the user group. If set, it must match the token's user group.",
    },
    data_source_provided_id: {
      ...TEXT,
      description: "Your ID of a data source. If set, the token's user group must be mapped to it.",
      examples: ["demo-sales"],
    },
  },
} as const;
