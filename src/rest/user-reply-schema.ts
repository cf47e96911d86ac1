/**
 * The shape of every successful reply of `/api/user` (decision 3), from which its serialiser is compiled. What a reply lacks is left
 * out; the order of the keys is that of the interface.
 */
export const REPLY_SCHEMA = {
  type: "object",
  properties: {
    success: { type: "integer" },
    new_user_group: { type: "boolean" },
    user_group: {
      type: "object",
      properties: {
        team_id: { type: "integer" },
        token: { type: "string" },
        name: { type: "string" },
        provided_id: { type: "string" },
        // Free-form, or null.
        properties: {},
        api_environment_tag: { type: "string" },
      },
    },
  },
} as const;
