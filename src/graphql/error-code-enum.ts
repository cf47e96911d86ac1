import { registerEnumType } from "type-graphql";
import { ERROR_CODES, type ErrorCode } from "../domain/errors.js";

/** The name that GraphQL gives an error code of the REST API. */
export function toGraphqlCode(code: ErrorCode): string {
  return code.toUpperCase();
}

export const ErrorCodeEnum: Readonly<Record<string, ErrorCode>> = Object.fromEntries(
  ERROR_CODES.map((code) => [toGraphqlCode(code), code]),
);

const descriptions: Readonly<Record<ErrorCode, string>> = {
  bad_request: "The request is not valid HTTP.",
  invalid_json: "The body is not JSON.",
  invalid_field: "A field is missing, of the wrong type, too long or too deep.",
  unauthenticated: "The credentials are missing, unknown, revoked or expired.",
  forbidden: "The API key lacks the scope.",
  not_found: "There is nothing at this path.",
  user_group_not_found: "No user group has this id or token.",
  data_source_not_found: "No data source has this id.",
  api_key_not_found: "No API key has this id.",
  site_config_not_found: "The site has no configuration, or not the revision.",
  webhook_endpoint_not_found: "No webhook endpoint has this id.",
  webhook_delivery_not_found: "No webhook delivery has this id.",
  method_not_allowed: "The path does not know this method.",
  user_group_mismatch: "What was told about the user group contradicts its token.",
  user_group_exists: "The provided id is taken by another user group.",
  data_source_exists: "The provided id is taken by another data source.",
  data_source_in_use: "A mapping still leads to the data source.",
  version_conflict: "What is to be changed was changed since it was read.",
  invalid_site_config: "The site configuration has errors, which the report lists.",
  idempotency_mismatch: "The Idempotency-Key was used for another request.",
  idempotency_key_in_use: "A request with the same Idempotency-Key is still under way.",
  payload_too_large: "The body is too large.",
  unsupported_media_type: "The body is not sent as JSON.",
  unknown_data_source: "A mapping names a data source that the account does not have.",
  rate_limited: "Too many requests.",
  query_too_deep: "The query has too many levels.",
  too_many_aliases: "The query has too many aliases.",
  too_many_root_fields: "The query has too many fields at its top.",
  too_many_tokens: "The query is too long.",
  query_too_expensive: "The query asks for too much at once.",
  untrusted_document: "The query is not in the list of those that may run.",
  batching_disabled: "A request carried more than one operation.",
  internal: "Something went wrong on our side.",
  unavailable: "The service is out of reach for a moment.",
};

registerEnumType(ErrorCodeEnum, {
  name: "ErrorCode",
  description: "What went wrong: the error codes of the REST API, in capitals.",
  valuesConfig: Object.fromEntries(
    ERROR_CODES.map((code) => [toGraphqlCode(code), { description: descriptions[code] }]),
  ),
});
