import { ERROR_STATUSES } from "../../domain/requests/error-status.js";
import type { ErrorCode } from "../../domain/shared/errors.js";
import { type HeaderName, headers } from "./headers.js";

/** The documentation of an error: its condition and an example. */
interface ErrorNote {
  readonly when: string;
  readonly message: string;
  readonly field?: string;
}

const ERROR_NOTES = {
  bad_request: {
    when: "the request is not valid HTTP; with status 408 if it arrives too slowly, or 431 if its headers are too large",
    message: "The request must have one Host header.",
  },
  invalid_json: {
    when: "the body is missing, not JSON, or not an object",
    message: "The body is not valid JSON: colon expected at line 2, column 7.",
  },
  invalid_field: {
    when: "`field` is missing, of the wrong type, too long or too deep; `fields` lists every invalid field",
    message: "name is required.",
    field: "name",
  },
  unauthenticated: {
    when: "the Authorization header is missing or malformed, or the API key is unknown, revoked or expired",
    message: "The API key is unknown, revoked or expired.",
  },
  forbidden: {
    when: "the API key lacks the required scope: `embed` for replies that contain a token and for embed sessions, `write` for changes",
    message: "This API key is read-only. Use an API key with `write` scope.",
  },
  not_found: {
    when: "the path cannot be decoded",
    message: "There is nothing at this path.",
  },
  user_group_not_found: {
    when: "the user group does not exist in the environment of the API key",
    message: "No user group has this ID.",
  },
  site_config_not_found: {
    when: "the site or the revision does not exist, or the site is not public and the request has no API key",
    message: "The site has no configuration, or no such revision.",
  },
  user_group_mismatch: {
    when: "the other fields do not match the user group that `current_token` identifies; nothing is deleted",
    message: "The request does not match the identified user group. Nothing was deleted.",
    field: "user_group_id",
  },
  version_conflict: {
    when: "`If-Match` or `If-None-Match` does not hold; nothing is changed",
    message: "The site configuration is at revision 3, but revision 2 was expected.",
    field: "If-Match",
  },
  invalid_site_config: {
    when: "the file has errors, which `report` lists; nothing is stored",
    message: "The site configuration has errors.",
    field: "body",
  },
  idempotency_key_in_use: {
    when: "a request with the same `Idempotency-Key` is still in progress",
    message: "A request with this Idempotency-Key is still in progress. Try again shortly.",
  },
  idempotency_mismatch: {
    when: "the `Idempotency-Key` was used for another request",
    message: "This Idempotency-Key was used for another request. Use a new key for each request.",
  },
  unknown_data_source: {
    when: "the mapping contains a data source that does not exist in the environment; `field` is the first such entry, and `fields` lists all of them",
    message: 'The environment has no data source "nowhere".',
    field: "mapping.sales",
  },
  payload_too_large: {
    when: "the body is larger than 1 MiB, or 256 KiB for a site configuration",
    message: "The body is larger than 1048576 bytes.",
  },
  unsupported_media_type: {
    when: "the body is not JSON in UTF-8, or is sent with another content type",
    message: "The body must be JSON in UTF-8, sent with Content-Type: application/json.",
  },
  rate_limited: {
    when: "the rate limit is exceeded, or too many authentications from this address failed",
    message:
      "The rate limit is a cost of 600 per 60 s. The remaining cost is 0, but this request needs 1. Try again in 42 s.",
  },
  internal: { when: "the service failed unexpectedly", message: "Something went wrong on our side." },
  unavailable: {
    when: "the database is unreachable or the service is overloaded; retry",
    message: "The service is temporarily unavailable. Try again shortly.",
  },
} as const satisfies Partial<Record<ErrorCode, ErrorNote>>;

/** Error codes in the OpenAPI document. */
export type DocumentedCode = keyof typeof ERROR_NOTES;

const ERROR_HEADERS: Partial<Readonly<Record<DocumentedCode, HeaderName>>> = {
  unauthenticated: "WWW-Authenticate",
  rate_limited: "Retry-After",
  unavailable: "Retry-After",
  idempotency_key_in_use: "Retry-After",
};

/**
 * Returns the error responses of an operation by status, with an example for each code.
 * @param base headers of all responses
 */
export function errorResponses(codes: readonly DocumentedCode[], base: readonly HeaderName[]) {
  const statuses = [...new Set(codes.map((code) => ERROR_STATUSES[code].status))].sort(
    (one, other) => one - other,
  );
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      errorResponse(
        codes.filter((code) => ERROR_STATUSES[code].status === status),
        base,
      ),
    ]),
  );
}

/** Returns the same responses without a body, for HEAD. */
export function bodilessResponses(codes: readonly DocumentedCode[], base: readonly HeaderName[]) {
  const responses = Object.entries(errorResponses(codes, base));
  return Object.fromEntries(responses.map(([status, { content: _, ...response }]) => [status, response]));
}

function errorResponse(codes: readonly DocumentedCode[], base: readonly HeaderName[]) {
  const errorHeaders = codes.flatMap((code) => ERROR_HEADERS[code] ?? []);
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_NOTES[code].when}.`).join("\n\n"),
    headers: headers([...base, ...errorHeaders]),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: Object.fromEntries(codes.map((code) => [code, { value: example(code) }])),
      },
    },
  };
}

function example(code: DocumentedCode) {
  const { message, field }: ErrorNote = ERROR_NOTES[code];
  const place = field === undefined ? {} : { field, fields: [{ field, message }] };
  const error = { code, message, ...place, request_id: "0b5c1f9e-3f0f-4c55-9a0b-6c7a1f0e7a55" };
  return { success: 0, error };
}
