import { errorHeaders } from "../domain/requests/error-headers.js";
import type { DomainError, ErrorCode, FieldPath } from "../domain/shared/errors.js";

/** The HTTP status of every error (decision 4). */
const STATUSES: Readonly<Record<ErrorCode, number>> = {
  bad_request: 400,
  invalid_json: 400,
  invalid_field: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  user_group_not_found: 404,
  data_source_not_found: 404,
  api_key_not_found: 404,
  site_config_not_found: 404,
  webhook_endpoint_not_found: 404,
  webhook_delivery_not_found: 404,
  method_not_allowed: 405,
  user_group_mismatch: 409,
  user_group_exists: 409,
  data_source_exists: 409,
  data_source_in_use: 409,
  version_conflict: 409,
  invalid_site_config: 422,
  idempotency_mismatch: 422,
  idempotency_key_in_use: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  unknown_data_source: 422,
  rate_limited: 429,
  slow_consumer: 503,
  query_too_deep: 400,
  too_many_aliases: 400,
  too_many_root_fields: 400,
  too_many_tokens: 400,
  query_too_expensive: 400,
  untrusted_document: 400,
  batching_disabled: 400,
  internal: 500,
  unavailable: 503,
};

export function statusOf(code: ErrorCode): number {
  return STATUSES[code];
}

/** The domain's names of fields that the interface calls otherwise. */
const FIELD_NAMES: ReadonlyMap<string, string> = new Map([
  ["providedId", "user_group_id"],
  ["currentToken", "current_token"],
  ["dataSourceProvidedId", "data_source_provided_id"],
  ["expectedVersion", "expected_version"],
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

/** Renders a failure as the interface's callers see it (decision 4). */
export function renderError(error: DomainError, requestId: string): ErrorReply {
  const { code } = error;
  const fields = error.fields.map((each) => {
    const field = fieldName(each.field);
    return { field, message: code === "invalid_field" ? `${field} ${each.message}.` : each.message };
  });
  const [first] = fields;
  return {
    status: statusOf(code),
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
