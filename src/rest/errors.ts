import { z } from "zod";
import { errorHeaders } from "../domain/requests/rate-limit.js";
import { ERRORS } from "../domain/shared/error-catalogue.js";
import { type DomainError, type FieldPath, MAX_FIELD_ERRORS } from "../domain/shared/errors.js";
import { COMPONENTS, text } from "./fields.js";

/** REST names of fields that services know by other names. */
const FIELD_NAMES: ReadonlyMap<string, string> = new Map([
  ["after", "cursor"],
  ["providedId", "user_group_id"],
  ["dataSourceProvidedId", "data_source_provided_id"],
  ["expectedRevision", "If-Match"],
  ["expectedVersion", "If-Match"],
  ["expectedAbsence", "If-None-Match"],
  ["propertiesPatch", "properties"],
]);

/** Error responses (decision 4). */
export const ERROR_BODY = z
  .object({
    success: z.literal(0).meta({ type: "integer" }),
    error: z.object({
      code: text("The error code. New codes may be added.").meta({ examples: ["invalid_field"] }),
      message: text("An explanation for humans. The wording may change."),
      field: text("The path of the first invalid field, parameter or header.")
        .meta({ examples: ["mapping.sales"] })
        .exactOptional(),
      fields: z
        .array(
          z.object({
            field: text("The path of the field, parameter or header."),
            message: text("An explanation for humans."),
          }),
        )
        .min(1)
        .max(MAX_FIELD_ERRORS)
        .meta({
          description: `All invalid fields, at most ${MAX_FIELD_ERRORS}; present if \`field\` is. The first is \`field\` with \`message\`.`,
        })
        .exactOptional(),
      request_id: text("The request ID, as in the `X-Request-Id` header."),
    }),
  })
  .register(COMPONENTS, { id: "Error" });

type ErrorBody = z.infer<typeof ERROR_BODY>;

interface ErrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody & { readonly report?: object };
}

/** Renders an error response. */
export function renderError(error: DomainError, requestId: string): ErrorReply {
  const { code, report } = error;
  const fields = error.fields.map((each) => {
    const field = fieldName(each.field);
    return { field, message: code === "invalid_field" ? `${field} ${each.message}.` : each.message };
  });
  const [first] = fields;
  return {
    status: ERRORS[code].status,
    headers: errorHeaders(error),
    body: {
      success: 0,
      error: {
        code,
        message: first?.message ?? error.message,
        ...(first ? { field: first.field, fields } : {}),
        request_id: requestId,
      },
      ...(report && { report }),
    },
  };
}

function fieldName(path: FieldPath): string {
  const [first = "", ...rest] = path;
  return [FIELD_NAMES.get(first) ?? first, ...rest].join(".");
}
