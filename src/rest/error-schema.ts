import { MAX_FIELD_ERRORS } from "../domain/shared/errors.js";

/** JSON Schema of error responses (decision 4), for the OpenAPI document. */
export const ERROR_SCHEMA = {
  type: "object",
  required: ["success", "error"],
  properties: {
    success: { type: "integer", const: 0 },
    error: {
      type: "object",
      required: ["code", "message", "request_id"],
      properties: {
        code: {
          type: "string",
          description: "What went wrong, for programs. More codes may be added.",
          examples: ["invalid_field"],
        },
        message: { type: "string", description: "What went wrong, for people. The wording may change." },
        field: {
          type: "string",
          description: "The path of the field, parameter or header that is at fault.",
          examples: ["mapping.sales"],
        },
        fields: {
          type: "array",
          minItems: 1,
          maxItems: MAX_FIELD_ERRORS,
          description: `Everything that is wrong, where \`field\` is there: the first is \`field\` with \`message\`. At most ${MAX_FIELD_ERRORS} are listed.`,
          items: {
            type: "object",
            required: ["field", "message"],
            properties: {
              field: { type: "string", description: "The path of the field, parameter or header." },
              message: { type: "string", description: "What is wrong with it, for people." },
            },
          },
        },
        request_id: { type: "string", description: "The id of the request, as in `X-Request-Id`." },
      },
    },
  },
} as const;
