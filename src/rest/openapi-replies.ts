import { ENVIRONMENTS } from "../domain/accounts/environment.js";
import { PROPERTIES_SCHEMA } from "./openapi-requests.js";

const FIELDS = {
  team_id: {
    type: "integer",
    description: "The user group's internal ID. You do not need to store it.",
    examples: [1],
  },
  token: {
    type: "string",
    description:
      "The user group token, which identifies the user group in embedded dashboards. Keep it secret.",
    examples: ["ugt_…"],
  },
  name: { type: "string", description: "The user group's name.", examples: ["Acme Inc."] },
  provided_id: {
    type: "string",
    description: "The `user_group_id` from the request that created the user group.",
    examples: ["acme"],
  },
} as const;

const PROPERTIES = {
  properties: {
    ...PROPERTIES_SCHEMA,
    description:
      "The stored JSON text of the properties, without insignificant white space; `null` if there are none. Key order and number formats are those of the request that last changed a value: properties that equal the stored ones as JSON values leave the stored text unchanged. If you send numbers beyond the precision of a 64-bit float, parse the reply with a library that preserves them.",
  },
} as const;

const TAG = {
  api_environment_tag: {
    type: "string",
    enum: ENVIRONMENTS,
    description: "The environment of the user group, which is that of the API key.",
  },
} as const;

export const SUCCESS = {
  success: { type: "integer", const: 1, description: "Always 1; the reply to a failed request has 0." },
} as const;
const IS_NEW = {
  new_user_group: { type: "boolean", description: "Indicates whether this request created the user group." },
} as const;

/**
 * JSON Schemas of the successful replies of `/api/user` (decision 3), for the OpenAPI document (decision 42). The specification
 * defines the order of the keys.
 */
export const USER_REPLY_SCHEMAS = {
  GET: objectSchema({ ...SUCCESS, ...IS_NEW, user_group: group({ ...FIELDS, ...PROPERTIES }) }),
  PUT: objectSchema({ ...SUCCESS, user_group: group({ ...FIELDS, ...PROPERTIES, ...TAG }) }),
  POST: objectSchema({ ...SUCCESS, user_group: group({ ...FIELDS, ...TAG }) }),
  DELETE: objectSchema(SUCCESS),
};

function group(properties: object) {
  return { ...objectSchema(properties), description: "The user group." } as const;
}

/** Returns the schema of an object in which every property is required. */
function objectSchema(properties: object) {
  return { type: "object", required: Object.keys(properties), properties } as const;
}
