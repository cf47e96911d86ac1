import type { ErrorCode } from "./errors.js";

/** What an error means, and what its caller can do. */
interface ErrorMeaning {
  readonly meaning: string;
  readonly advice: string;
}

/** The catalogue of errors, for the descriptions of both APIs and their reference. */
export const ERROR_MEANINGS: Readonly<Record<ErrorCode, ErrorMeaning>> = {
  bad_request: {
    meaning: "The request is not valid HTTP.",
    advice: "Mend the client, or the proxy between: it sends what HTTP forbids.",
  },
  invalid_json: {
    meaning: "The body is not JSON.",
    advice: "Send one JSON object; the message tells line and column.",
  },
  invalid_field: {
    meaning: "A field is missing, of the wrong type, too long or too deep.",
    advice: "Fix every field that `fields` lists; the same request will fail again.",
  },
  unauthenticated: {
    meaning: "The credentials are missing, unknown, revoked or expired.",
    advice:
      "Check the header `Authorization: Token <API key>`, and that the key was neither revoked nor has expired.",
  },
  forbidden: {
    meaning: "The API key lacks the scope.",
    advice:
      "Use a key with the scope that the message names: `embed` to read tokens, `write` to change something, `admin` for keys, webhooks and the audit log.",
  },
  not_found: {
    meaning: "There is nothing at this path.",
    advice: "Check the path.",
  },
  user_group_not_found: {
    meaning: "No user group has this id or token.",
    advice: "Check the id, the environment of the key, and whether the token was rotated.",
  },
  data_source_not_found: {
    meaning: "No data source has this id.",
    advice: "Check the id, and the account and environment of the key.",
  },
  api_key_not_found: {
    meaning: "No API key has this id.",
    advice: "Check the id; keys of other accounts do not exist for you.",
  },
  site_config_not_found: {
    meaning: "The site has no configuration, or not the revision.",
    advice: "Check the name of the site, the environment of the key and the number of the revision.",
  },
  webhook_endpoint_not_found: {
    meaning: "No webhook endpoint has this id.",
    advice: "Check the id; it may have been deleted.",
  },
  webhook_delivery_not_found: {
    meaning: "No webhook delivery has this id.",
    advice: "Check the id; deliveries are forgotten after 30 days.",
  },
  method_not_allowed: {
    meaning: "The path does not know this method.",
    advice: "Use a method that the header `Allow` names.",
  },
  user_group_mismatch: {
    meaning: "What was told about the user group contradicts its token.",
    advice: "Read the token's group first; nothing was deleted.",
  },
  user_group_exists: {
    meaning: "The provided id is taken by another user group.",
    advice: "Use `getOrCreateUserGroup` or `upsertUserGroups`, or another id.",
  },
  data_source_exists: {
    meaning: "The provided id is taken by another data source.",
    advice: "Use another id, or change the one that exists.",
  },
  data_source_in_use: {
    meaning: "A mapping still leads to the data source.",
    advice: "Take it out of the mappings first: `dataSource.userGroups` lists them.",
  },
  version_conflict: {
    meaning: "What is to be changed was changed since it was read.",
    advice: "Read it again, apply the change to what it is now, and send that version.",
  },
  invalid_site_config: {
    meaning: "The site configuration has errors, which the report lists.",
    advice: "Mend what the findings name; `validateSiteConfig` tells them without storing anything.",
  },
  idempotency_mismatch: {
    meaning: "The Idempotency-Key was used for another request.",
    advice: "Use a new key for each request that differs.",
  },
  idempotency_key_in_use: {
    meaning: "A request with the same Idempotency-Key is still under way.",
    advice: "Send the same request again in a moment, for the first one's reply.",
  },
  payload_too_large: {
    meaning: "The body is too large.",
    advice: "Send less at once; the message tells the limit.",
  },
  unsupported_media_type: {
    meaning: "The body is not sent as JSON.",
    advice: "Send the header `Content-Type: application/json`.",
  },
  unknown_data_source: {
    meaning: "A mapping names a data source that the environment does not have.",
    advice: "Create the data sources first; `fields` lists the entries of the mapping.",
  },
  rate_limited: {
    meaning: "Too many requests.",
    advice: "Wait for as many seconds as `Retry-After` says. The headers `RateLimit-*` tell what is left.",
  },
  slow_consumer: {
    meaning: "The events of a subscription were not read, and it was ended.",
    advice:
      "Read the user group again and subscribe anew; read events as they come, or subscribe to fewer fields.",
  },
  query_too_deep: {
    meaning: "The query has too many levels.",
    advice: "Ask for fewer levels; the extensions tell `limit` and `actual`.",
  },
  too_many_aliases: {
    meaning: "The query has too many aliases.",
    advice: "Use lists, such as `nodes(ids:)`, instead of aliases.",
  },
  too_many_root_fields: {
    meaning: "The query has too many fields at its top.",
    advice: "Send several requests.",
  },
  too_many_tokens: {
    meaning: "The query is too long.",
    advice: "Send a shorter document.",
  },
  query_too_expensive: {
    meaning: "The query asks for too much at once.",
    advice: "Ask for smaller pages, or for fewer fields below lists.",
  },
  untrusted_document: {
    meaning: "The query is not in the list of those that may run.",
    advice: "Add the document to the service's list of trusted documents.",
  },
  batching_disabled: {
    meaning: "A request carried more than one operation.",
    advice: "Send each operation in a request of its own.",
  },
  internal: {
    meaning: "Something went wrong on our side.",
    advice: "Try again; if it stays, report the `request_id`, under which the log has the cause.",
  },
  unavailable: {
    meaning: "The service is out of reach for a moment.",
    advice:
      "Try again after as many seconds as `Retry-After` says; of a change that is not safe to repeat, with the same `Idempotency-Key`.",
  },
};
