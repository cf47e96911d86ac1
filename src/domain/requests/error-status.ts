import type { ErrorCode } from "../shared/errors.js";

interface ErrorStatus {
  /** The HTTP status (decision 4). */
  readonly status: number;
  /** Whether a GraphQL mutation reports the error in `userErrors`, because the end user can fix it. */
  readonly isUserError: boolean;
}

const request = (status: number): ErrorStatus => ({ status, isUserError: false });
const user = (status: number): ErrorStatus => ({ status, isUserError: true });

export const ERROR_STATUSES: Readonly<Record<ErrorCode, ErrorStatus>> = {
  bad_request: request(400),
  invalid_json: request(400),
  invalid_field: user(400),
  unauthenticated: request(401),
  forbidden: request(403),
  not_found: request(404),
  user_group_not_found: user(404),
  data_source_not_found: user(404),
  api_key_not_found: user(404),
  site_config_not_found: user(404),
  webhook_endpoint_not_found: user(404),
  webhook_delivery_not_found: user(404),
  method_not_allowed: request(405),
  user_group_mismatch: user(409),
  user_group_exists: user(409),
  data_source_exists: user(409),
  data_source_in_use: user(409),
  version_conflict: user(412),
  invalid_site_config: user(422),
  idempotency_mismatch: request(422),
  idempotency_key_in_use: request(409),
  payload_too_large: request(413),
  unsupported_media_type: request(415),
  unknown_data_source: user(422),
  batch_rejected: user(422),
  rate_limited: request(429),
  slow_consumer: request(503),
  query_too_deep: request(400),
  too_many_aliases: request(400),
  too_many_root_fields: request(400),
  too_many_tokens: request(400),
  query_too_expensive: request(400),
  query_not_allowed: request(400),
  batching_disabled: request(400),
  internal: request(500),
  unavailable: request(503),
};
