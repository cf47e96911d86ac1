/** The catalogue entry of an error. */
interface ErrorEntry {
  /** The HTTP status (decision 4). */
  readonly status: number;
  /** Whether a GraphQL mutation reports the error in `userErrors`, because the end user can fix it. */
  readonly isUserError?: true;
  readonly meaning: string;
  readonly advice: string;
  /** For the OpenAPI document: the condition, and the message and field of an example. */
  readonly rest?: { readonly when: string; readonly message: string; readonly field?: string };
}

type DocumentedEntry = ErrorEntry & Required<Pick<ErrorEntry, "rest">>;

const CATALOGUE = {
  bad_request: {
    status: 400,
    meaning: "The request is not valid HTTP, or took too long to arrive (status 408).",
    advice: "Fix the client, or the proxy in between.",
    rest: {
      when: "the request is not valid HTTP; with status 408 if it arrives too slowly, or 431 if its headers are too large",
      message: "The request must have one Host header.",
    },
  },
  invalid_json: {
    status: 400,
    meaning: "The body is not JSON.",
    advice: "Send a JSON object; the message contains line and column.",
    rest: {
      when: "the body is missing, not JSON, or not an object",
      message: "The body is not valid JSON: colon expected at line 2, column 7.",
    },
  },
  invalid_field: {
    status: 400,
    isUserError: true,
    meaning: "A field is missing, of the wrong type, too long or too deep.",
    advice: "Fix every field in `fields`; the same request will fail again.",
    rest: {
      when: "`field` is missing, of the wrong type, too long or too deep; `fields` lists every invalid field",
      message: "name is required.",
      field: "name",
    },
  },
  unauthenticated: {
    status: 401,
    meaning: "The credentials are missing, unknown, revoked or expired.",
    advice:
      "Send what the message names: an API key as `Authorization: Token <API key>`, or, to GraphQL only, an embed session or user group token as `Authorization: Bearer <token>`.",
    rest: {
      when: "the Authorization header is missing or malformed, or the API key is unknown, revoked or expired",
      message: "The API key is unknown, revoked or expired.",
    },
  },
  forbidden: {
    status: 403,
    meaning:
      "The API key lacks the required scope, or an embed session or group token reads a field that it may not.",
    advice:
      "Use a key with the scope in the message: `embed` to read tokens and create embed sessions, `write` to change data, `admin` for keys, webhooks and the audit log.",
    rest: {
      when: "the API key lacks the required scope: `embed` for replies that contain a token and for embed sessions, `write` for changes",
      message: "This API key is read-only. Use an API key with `write` scope.",
    },
  },
  not_found: {
    status: 404,
    meaning: "The path does not exist.",
    advice: "Check the path; the message names one that is near.",
    rest: {
      when: "the path cannot be decoded",
      message: "There is nothing at this path.",
    },
  },
  user_group_not_found: {
    status: 404,
    isUserError: true,
    meaning: "No user group has this ID or token, or its history has not this version.",
    advice:
      "Check the ID, the environment of the key, whether the token was rotated, and the versions in `history`.",
    rest: {
      when: "the user group does not exist in the environment of the API key",
      message:
        "No user group of this environment has this ID. Create it with GET /api/user (REST) or `getOrCreateUserGroup` (GraphQL). Groups of the other environment are not visible here.",
    },
  },
  data_source_not_found: {
    status: 404,
    isUserError: true,
    meaning: "No data source has this ID.",
    advice: "Check the ID, and the account and environment of the key.",
  },
  api_key_not_found: {
    status: 404,
    isUserError: true,
    meaning: "No API key has this ID.",
    advice: "Check the ID; keys of other accounts are not visible to you.",
  },
  site_config_not_found: {
    status: 404,
    isUserError: true,
    meaning: "The site has no configuration, or not this revision.",
    advice: "Check the site name, the environment of the key and the revision number.",
    rest: {
      when: "the site or the revision does not exist, or the site is not public and the request has no API key",
      message: "The site has no configuration, or no such revision.",
    },
  },
  webhook_endpoint_not_found: {
    status: 404,
    isUserError: true,
    meaning: "No webhook endpoint has this ID.",
    advice: "Check the ID; the endpoint may have been deleted.",
  },
  webhook_delivery_not_found: {
    status: 404,
    isUserError: true,
    meaning: "No webhook delivery has this ID.",
    advice: "Check the ID; deliveries are deleted after `RETAIN_WEBHOOK_DELIVERY_DAYS`, 30 by default.",
  },
  bulk_change_not_found: {
    status: 404,
    isUserError: true,
    meaning: "No bulk change of the environment has this ID.",
    advice:
      "Check the ID and the environment of the key; bulk changes are deleted after `RETAIN_AUDIT_DAYS`, 400 by default.",
  },
  bulk_change_mismatch: {
    status: 409,
    isUserError: true,
    meaning: "The ID is that of a bulk change of another author, filter or patch.",
    advice:
      "Nothing was changed. Choose a new UUID for each bulk change, and send the same with all its pages.",
  },
  history_incomplete: {
    status: 409,
    isUserError: true,
    meaning: "The history of the user group does not have the values before the bulk change.",
    advice: "Former values are kept for `RETAIN_GROUP_HISTORY_DAYS`. Set the values yourself.",
  },
  session_template_not_found: {
    status: 404,
    isUserError: true,
    meaning: "No session template of the environment has this name or ID.",
    advice: "Check the name and the environment of the key; `sessionTemplates` lists them.",
    rest: {
      when: "the environment has no session template with this name",
      message: "No session template of this environment has this name.",
      field: "template",
    },
  },
  session_template_exists: {
    status: 409,
    isUserError: true,
    meaning: "The environment has a session template with this name.",
    advice: "Choose another name, or update the template.",
  },
  method_not_allowed: {
    status: 405,
    meaning: "The path does not support this method.",
    advice: "Use a method listed in the header `Allow`.",
  },
  user_group_mismatch: {
    status: 409,
    isUserError: true,
    meaning: "The request does not match the identified user group.",
    advice: "Nothing was deleted. Read the group and correct the request.",
    rest: {
      when: "the other fields do not match the user group that `current_token` identifies; nothing is deleted",
      message: "The request does not match the identified user group. Nothing was deleted.",
      field: "user_group_id",
    },
  },
  user_group_exists: {
    status: 409,
    isUserError: true,
    meaning: "Another user group has this external ID.",
    advice: "Use `getOrCreateUserGroup` or `upsertUserGroups`, or another ID.",
  },
  data_source_exists: {
    status: 409,
    isUserError: true,
    meaning: "Another data source has this external ID.",
    advice: "Use another ID, or update the existing data source.",
  },
  data_source_in_use: {
    status: 409,
    isUserError: true,
    meaning: "A mapping still uses the data source.",
    advice: "Remove it from the mappings first; `dataSource.userGroups` lists them.",
  },
  version_conflict: {
    status: 412,
    isUserError: true,
    meaning: "The object was changed since you read it.",
    advice: "Read it again, apply your change, and send the new version.",
    rest: {
      when: "`If-Match` or `If-None-Match` does not hold; nothing is changed",
      message: "The current version is 3, not 2. Read it again and repeat the change.",
      field: "If-Match",
    },
  },
  invalid_site_config: {
    status: 422,
    isUserError: true,
    meaning: "The site configuration has errors.",
    advice: "Fix the errors in the report; `validateSiteConfig` checks without storing.",
    rest: {
      when: "the file has errors, which `report` lists; nothing is stored",
      message: "The site configuration has errors.",
      field: "body",
    },
  },
  idempotency_mismatch: {
    status: 422,
    meaning: "The Idempotency-Key was used for another request.",
    advice: "Use a new key for each different request.",
    rest: {
      when: "the `Idempotency-Key` was used for another request",
      message: "This Idempotency-Key was used for another request. Use a new key for each request.",
    },
  },
  idempotency_key_in_use: {
    status: 409,
    meaning: "A request with the same Idempotency-Key is still in progress.",
    advice: "Retry shortly to get the first request's reply.",
    rest: {
      when: "a request with the same `Idempotency-Key` is still in progress",
      message: "A request with this Idempotency-Key is still in progress. Try again shortly.",
    },
  },
  payload_too_large: {
    status: 413,
    meaning: "The body is too large.",
    advice: "Send less at once; the message contains the limit.",
    rest: {
      when: "the body is larger than 1 MiB, or 256 KiB for a site configuration",
      message: "The body is larger than 1048576 bytes.",
    },
  },
  unsupported_media_type: {
    status: 415,
    meaning: "The content type is not JSON.",
    advice: "Send the header `Content-Type: application/json`.",
    rest: {
      when: "the body is not JSON in UTF-8, or is sent with another content type",
      message: "The body must be JSON in UTF-8, sent with Content-Type: application/json.",
    },
  },
  unknown_data_source: {
    status: 422,
    isUserError: true,
    meaning: "A mapping contains a data source that does not exist in the environment.",
    advice:
      "Create the data sources first, with the GraphQL mutation `createDataSource`; `fields` lists the mapping entries.",
    rest: {
      when: "the mapping contains a data source that does not exist in the environment; `field` is the first such entry, and `fields` lists all of them",
      message:
        'The environment has no data source "nowhere". Create it with the GraphQL mutation `createDataSource`, or use the ID of another one.',
      field: "mapping.sales",
    },
  },
  batch_rejected: {
    status: 422,
    isUserError: true,
    meaning: "The item is valid, but another item of the same request is not, so none was written.",
    advice: "Fix the other items and send all of them again.",
  },
  rate_limited: {
    status: 429,
    meaning: "The caller sent too many requests.",
    advice: "Wait for the seconds in `Retry-After`. The headers `RateLimit-*` show the remaining allowance.",
    rest: {
      when: "the rate limit is exceeded, or too many authentications from this address failed",
      message:
        "The rate limit is a cost of 600 per 60 s. The remaining cost is 0, but this request needs 1. Try again in 42 s.",
    },
  },
  slow_consumer: {
    status: 503,
    meaning: "The subscription ended because its events were not read.",
    advice: "Read the user group and subscribe again; read events as they arrive, or select fewer fields.",
  },
  query_too_deep: {
    status: 400,
    meaning: "The query is too deep.",
    advice: "Request fewer levels; the extensions contain `limit` and `actual`.",
  },
  too_many_aliases: {
    status: 400,
    meaning: "The query has too many aliases.",
    advice: "Use lists, such as `nodes(ids:)`, instead of aliases.",
  },
  too_many_root_fields: {
    status: 400,
    meaning: "The query has too many root fields.",
    advice: "Send several requests.",
  },
  too_many_tokens: {
    status: 400,
    meaning: "The query is too long.",
    advice: "Send a shorter document.",
  },
  query_too_expensive: {
    status: 400,
    meaning: "The query is too expensive, or its search took too long.",
    advice: "Request smaller pages, or fewer fields below lists; narrow the filter of a search.",
    rest: {
      when: "the conditions of a list took too long to evaluate",
      message: "The search took too long. Narrow it.",
    },
  },
  query_not_allowed: {
    status: 400,
    meaning: "The query is not on the service's allow-list.",
    advice: "Add it to the file in `PERSISTED_QUERIES`.",
  },
  batching_disabled: {
    status: 400,
    meaning: "The request contains more than one operation.",
    advice: "Send each operation in its own request.",
  },
  internal: {
    status: 500,
    meaning: "The service failed unexpectedly.",
    advice: "Retry; if it persists, report the `request_id`, which identifies the cause in the log.",
    rest: {
      when: "the service failed unexpectedly",
      message: "Something went wrong on our side.",
    },
  },
  unavailable: {
    status: 503,
    meaning: "The service is temporarily unavailable.",
    advice:
      "Retry after the seconds in `Retry-After`; send a change that is not safe to repeat with the same `Idempotency-Key`.",
    rest: {
      when: "the database is unreachable or the service is overloaded; retry",
      message: "The service is temporarily unavailable. Try again shortly.",
    },
  },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

export type ErrorCode = keyof typeof CATALOGUE;

/** Error codes in the OpenAPI document. */
export type RestErrorCode = {
  [Code in ErrorCode]: (typeof CATALOGUE)[Code] extends DocumentedEntry ? Code : never;
}[ErrorCode];

/** All errors of both APIs. */
export const ERRORS: Readonly<Record<ErrorCode, ErrorEntry> & Record<RestErrorCode, DocumentedEntry>> =
  CATALOGUE;

export const ERROR_CODES: readonly ErrorCode[] = Object.keys(CATALOGUE).filter((code): code is ErrorCode =>
  Object.hasOwn(CATALOGUE, code),
);
