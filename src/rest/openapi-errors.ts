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
          description: "The error code. New codes may be added.",
          examples: ["invalid_field"],
        },
        message: { type: "string", description: "An explanation for humans. The wording may change." },
        field: {
          type: "string",
          description: "The path of the first invalid field, parameter or header.",
          examples: ["mapping.sales"],
        },
        fields: {
          type: "array",
          minItems: 1,
          maxItems: MAX_FIELD_ERRORS,
          description: `All invalid fields, at most ${MAX_FIELD_ERRORS}; present if \`field\` is. The first is \`field\` with \`message\`.`,
          items: {
            type: "object",
            required: ["field", "message"],
            properties: {
              field: { type: "string", description: "The path of the field, parameter or header." },
              message: { type: "string", description: "An explanation for humans." },
            },
          },
        },
        request_id: { type: "string", description: "The request ID, as in the `X-Request-Id` header." },
      },
    },
  },
} as const;
