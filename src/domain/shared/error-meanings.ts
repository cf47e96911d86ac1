import type { ErrorCode } from "./errors.js";

interface ErrorMeaning {
  readonly meaning: string;
  readonly advice: string;
}

/** The error catalogue, for the descriptions and references of both APIs. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, ErrorMeaning>> = {
  bad_request: {
    meaning: "The request is not valid HTTP, or took too long to arrive (status 408).",
    advice: "Fix the client, or the proxy in between.",
  },
  invalid_json: {
    meaning: "The body is not JSON.",
    advice: "Send a JSON object; the message contains line and column.",
  },
  invalid_field: {
    meaning: "A field is missing, of the wrong type, too long or too deep.",
    advice: "Fix every field in `fields`; the same request will fail again.",
  },
  unauthenticated: {
    meaning: "The credentials are missing, unknown, revoked or expired.",
    advice:
      "Check the header `Authorization: Token <API key>`, and that the key is neither revoked nor expired.",
  },
  forbidden: {
    meaning:
      "The API key lacks the required scope, or an embed session or group token reads a field that it may not.",
    advice:
      "Use a key with the scope in the message: `embed` to read tokens and create embed sessions, `write` to change data, `admin` for keys, webhooks and the audit log.",
  },
  not_found: {
    meaning: "The path does not exist.",
    advice: "Check the path.",
  },
  user_group_not_found: {
    meaning: "No user group has this ID or token.",
    advice: "Check the ID, the environment of the key, and whether the token was rotated.",
  },
  data_source_not_found: {
    meaning: "No data source has this ID.",
    advice: "Check the ID, and the account and environment of the key.",
  },
  api_key_not_found: {
    meaning: "No API key has this ID.",
    advice: "Check the ID; keys of other accounts are not visible to you.",
  },
  site_config_not_found: {
    meaning: "The site has no configuration, or not this revision.",
    advice: "Check the site name, the environment of the key and the revision number.",
  },
  webhook_endpoint_not_found: {
    meaning: "No webhook endpoint has this ID.",
    advice: "Check the ID; the endpoint may have been deleted.",
  },
  webhook_delivery_not_found: {
    meaning: "No webhook delivery has this ID.",
    advice: "Check the ID; deliveries are deleted after `RETAIN_WEBHOOK_DELIVERY_DAYS`, 30 by default.",
  },
  method_not_allowed: {
    meaning: "The path does not support this method.",
    advice: "Use a method listed in the header `Allow`.",
  },
  user_group_mismatch: {
    meaning: "The request does not match the identified user group.",
    advice: "Nothing was deleted. Read the group and correct the request.",
  },
  user_group_exists: {
    meaning: "Another user group has this external ID.",
    advice: "Use `getOrCreateUserGroup` or `upsertUserGroups`, or another ID.",
  },
  data_source_exists: {
    meaning: "Another data source has this external ID.",
    advice: "Use another ID, or update the existing data source.",
  },
  data_source_in_use: {
    meaning: "A mapping still uses the data source.",
    advice: "Remove it from the mappings first; `dataSource.userGroups` lists them.",
  },
  version_conflict: {
    meaning: "The object was changed since you read it.",
    advice: "Read it again, apply your change, and send the new version.",
  },
  invalid_site_config: {
    meaning: "The site configuration has errors.",
    advice: "Fix the errors in the report; `validateSiteConfig` checks without storing.",
  },
  idempotency_mismatch: {
    meaning: "The Idempotency-Key was used for another request.",
    advice: "Use a new key for each different request.",
  },
  idempotency_key_in_use: {
    meaning: "A request with the same Idempotency-Key is still in progress.",
    advice: "Retry shortly to get the first request's reply.",
  },
  payload_too_large: {
    meaning: "The body is too large.",
    advice: "Send less at once; the message contains the limit.",
  },
  unsupported_media_type: {
    meaning: "The content type is not JSON.",
    advice: "Send the header `Content-Type: application/json`.",
  },
  unknown_data_source: {
    meaning: "A mapping contains a data source that does not exist in the environment.",
    advice: "Create the data sources first; `fields` lists the mapping entries.",
  },
  batch_rejected: {
    meaning: "The item is valid, but another item of the same request is not, so none was written.",
    advice: "Fix the other items and send all of them again.",
  },
  rate_limited: {
    meaning: "The caller sent too many requests.",
    advice: "Wait for the seconds in `Retry-After`. The headers `RateLimit-*` show the remaining allowance.",
  },
  slow_consumer: {
    meaning: "The subscription ended because its events were not read.",
    advice: "Read the user group and subscribe again; read events as they arrive, or select fewer fields.",
  },
  query_too_deep: {
    meaning: "The query is too deep.",
    advice: "Request fewer levels; the extensions contain `limit` and `actual`.",
  },
  too_many_aliases: {
    meaning: "The query has too many aliases.",
    advice: "Use lists, such as `nodes(ids:)`, instead of aliases.",
  },
  too_many_root_fields: {
    meaning: "The query has too many root fields.",
    advice: "Send several requests.",
  },
  too_many_tokens: {
    meaning: "The query is too long.",
    advice: "Send a shorter document.",
  },
  query_too_expensive: {
    meaning: "The query is too expensive, or its search took too long.",
    advice: "Request smaller pages, or fewer fields below lists; narrow the filter of a search.",
  },
  query_not_allowed: {
    meaning: "The query is not on the service's allow-list.",
    advice: "Add it to the file in `PERSISTED_QUERIES`.",
  },
  batching_disabled: {
    meaning: "The request contains more than one operation.",
    advice: "Send each operation in its own request.",
  },
  internal: {
    meaning: "The service failed unexpectedly.",
    advice: "Retry; if it persists, report the `request_id`, which identifies the cause in the log.",
  },
  unavailable: {
    meaning: "The service is temporarily unavailable.",
    advice:
      "Retry after the seconds in `Retry-After`; send a change that is not safe to repeat with the same `Idempotency-Key`.",
  },
};
