import { ENVIRONMENTS } from "../domain/accounts/environment.js";
import { PROPERTIES_SCHEMA } from "./request-schemas.js";

const FIELDS = {
  team_id: {
    type: "integer",
    description: "The group's internal id. You need not store it.",
    examples: [1],
  },
  token: {
    type: "string",
    description: "The user group token: it tells embedded dashboards who is looking. Keep it secret.",
    examples: ["ugt_…"],
  },
  name: { type: "string", examples: ["Acme Inc."] },
  provided_id: { type: "string", description: "The `user_group_id` that you gave.", examples: ["acme"] },
} as const;

const PROPERTIES = {
  properties: {
    ...PROPERTIES_SCHEMA,
    description:
      "The properties as they were sent: with the same order of keys and the same spelling of numbers, but without insignificant white space; `null` when there are none. Parse them with a library for exact numbers if you send numbers that a 64-bit float cannot hold.",
  },
} as const;

const TAG = {
  api_environment_tag: {
    type: "string",
    enum: ENVIRONMENTS,
    description: "The environment of the group, which is that of the API key.",
  },
} as const;

const SUCCESS = { success: { type: "integer", const: 1 } } as const;
const IS_NEW = {
  new_user_group: { type: "boolean", description: "Whether this call created the group." },
} as const;

/**
 * JSON Schemas of the successful replies of `/api/user` (decision 3), for the OpenAPI document (decision 42). The specification
 * defines the order of the keys.
 */
export const USER_REPLY_SCHEMAS = {
  GET: objectSchema({ ...SUCCESS, ...IS_NEW, user_group: objectSchema({ ...FIELDS, ...PROPERTIES }) }),
  PUT: objectSchema({ ...SUCCESS, user_group: objectSchema({ ...FIELDS, ...PROPERTIES, ...TAG }) }),
  POST: objectSchema({ ...SUCCESS, user_group: objectSchema({ ...FIELDS, ...TAG }) }),
  DELETE: objectSchema(SUCCESS),
};

/** Returns the schema of an object in which every property is required. */
function objectSchema(properties: object) {
  return { type: "object", required: Object.keys(properties), properties } as const;
}
