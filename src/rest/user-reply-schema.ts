import { ENVIRONMENTS } from "../domain/environment.js";

/**
 * The successful replies of `/api/user` (decision 3), from which their serialisers are compiled, and which the OpenAPI document
 * shows (decision 42). The order of the keys is that of the interface.
 * @param freeForm what describes the properties of a group; nothing for serialisers, which then leave them to JSON.stringify
 */
export function userReplySchemas(freeForm: object) {
  const fields = {
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
  const properties = { properties: freeForm };
  const tag = {
    api_environment_tag: {
      type: "string",
      enum: ENVIRONMENTS,
      description: "The environment of the group, which is that of the API key.",
    },
  } as const;
  const success = { success: { type: "integer", const: 1 } } as const;
  const group = (members: object) => ({ user_group: whole(members) });
  const isNew = { type: "boolean", description: "Whether this call created the group." } as const;
  return {
    GET: whole({ ...success, new_user_group: isNew, ...group({ ...fields, ...properties }) }),
    PUT: whole({ ...success, ...group({ ...fields, ...properties, ...tag }) }),
    POST: whole({ ...success, ...group({ ...fields, ...tag }) }),
    DELETE: whole(success),
  };
}

/** An object with exactly these members. */
function whole(properties: object) {
  return { type: "object", required: Object.keys(properties), properties } as const;
}
