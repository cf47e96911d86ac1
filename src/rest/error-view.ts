import { errorHeaders } from "../domain/requests/error-headers.js";
import { ERRORS, type ErrorCode } from "../domain/shared/error-catalogue.js";
import type { DomainError, FieldPath } from "../domain/shared/errors.js";

/** REST names of fields that differ from the domain's names. */
const FIELD_NAMES: ReadonlyMap<string, string> = new Map([
  ["providedId", "user_group_id"],
  ["currentToken", "current_token"],
  ["expiresInSeconds", "expires_in"],
  ["dataSourceProvidedId", "data_source_provided_id"],
  ["expectedVersion", "expected_version"],
  ["expectedRevision", "If-Match"],
]);

export interface ErrorBody {
  readonly success: 0;
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly field?: string;
    readonly fields?: readonly { readonly field: string; readonly message: string }[];
    readonly request_id: string;
  };
}

export interface ErrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ErrorBody;
}

/** Renders an error response (decision 4). */
export function renderError(error: DomainError, requestId: string): ErrorReply {
  const { code } = error;
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
    },
  };
}

function fieldName(path: FieldPath): string {
  const [first = "", ...rest] = path;
  return [FIELD_NAMES.get(first) ?? first, ...rest].join(".");
}
