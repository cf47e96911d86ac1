import {
  ApiError,
  type ApiErrorDetails,
  AuthenticationError,
  ConflictError,
  InvalidRequestError,
  type KnownErrorCode,
  NotFoundError,
  PermissionError,
  RateLimitError,
  ServiceError,
} from "./errors.js";

type ApiErrorClass = new (details: ApiErrorDetails) => ApiError;

/** Classes of codes whose status does not identify them: `userErrors` come with 200. */
const CLASSES: Readonly<Record<KnownErrorCode, ApiErrorClass>> = {
  api_key_not_found: NotFoundError,
  bad_request: InvalidRequestError,
  batch_rejected: InvalidRequestError,
  batching_disabled: InvalidRequestError,
  bulk_change_mismatch: ConflictError,
  bulk_change_not_found: NotFoundError,
  data_source_exists: ConflictError,
  data_source_in_use: ConflictError,
  data_source_not_found: NotFoundError,
  forbidden: PermissionError,
  history_incomplete: ConflictError,
  idempotency_key_in_use: ConflictError,
  idempotency_mismatch: InvalidRequestError,
  internal: ServiceError,
  invalid_field: InvalidRequestError,
  invalid_json: InvalidRequestError,
  invalid_site_config: InvalidRequestError,
  method_not_allowed: InvalidRequestError,
  not_found: NotFoundError,
  payload_too_large: InvalidRequestError,
  query_too_deep: InvalidRequestError,
  query_too_expensive: InvalidRequestError,
  rate_limited: RateLimitError,
  session_template_exists: ConflictError,
  session_template_not_found: NotFoundError,
  site_config_not_found: NotFoundError,
  slow_consumer: ServiceError,
  too_many_aliases: InvalidRequestError,
  too_many_root_fields: InvalidRequestError,
  too_many_tokens: InvalidRequestError,
  unauthenticated: AuthenticationError,
  unavailable: ServiceError,
  unknown_data_source: InvalidRequestError,
  unsupported_media_type: InvalidRequestError,
  query_not_allowed: InvalidRequestError,
  user_group_exists: ConflictError,
  user_group_mismatch: ConflictError,
  user_group_not_found: NotFoundError,
  version_conflict: ConflictError,
  webhook_delivery_not_found: NotFoundError,
  webhook_endpoint_not_found: NotFoundError,
};
const BY_CODE: ReadonlyMap<string, ApiErrorClass> = new Map(Object.entries(CLASSES));

/** Creates the error of a failed call. Its class depends on the code, for unknown codes on the status. */
export function createApiError(details: ApiErrorDetails): ApiError {
  const Class = BY_CODE.get(details.code) ?? classOfStatus(details.status);
  return new Class(details);
}

function classOfStatus(status: number): ApiErrorClass {
  if (status === 401) return AuthenticationError;
  if (status === 403) return PermissionError;
  if (status === 404) return NotFoundError;
  if (status === 409 || status === 412) return ConflictError;
  if (status === 429) return RateLimitError;
  if (status >= 500) return ServiceError;
  return status >= 400 ? InvalidRequestError : ApiError;
}
