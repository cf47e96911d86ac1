import type { UserErrorCode, UserErrorFieldsFragment } from "./generated/operations.js";
import type { RateLimit } from "./response.js";

/** The codes of refused requests, which are never in `userErrors`. */
type RequestErrorCode =
  | "bad_request"
  | "batching_disabled"
  | "forbidden"
  | "idempotency_key_in_use"
  | "idempotency_mismatch"
  | "internal"
  | "invalid_json"
  | "method_not_allowed"
  | "not_found"
  | "payload_too_large"
  | "query_not_allowed"
  | "query_too_deep"
  | "query_too_expensive"
  | "rate_limited"
  | "slow_consumer"
  | "too_many_aliases"
  | "too_many_root_fields"
  | "too_many_tokens"
  | "unauthenticated"
  | "unavailable"
  | "unsupported_media_type";

/** The service's error codes. */
export type KnownErrorCode = Lowercase<UserErrorCode> | RequestErrorCode;

/** The service's error codes; later versions may add some. */
export type ErrorCode = KnownErrorCode | (string & Record<never, never>);

/** An entry of a mutation's `userErrors`. */
export type UserError = UserErrorFieldsFragment;

/** An invalid field of the input. */
export interface FieldError {
  /** Such as `name` or `mapping.sales`. */
  readonly field: string;
  /** For humans; do not parse. */
  readonly message: string;
}

/** Details of a failed call. */
export interface ApiErrorDetails {
  readonly code: ErrorCode;
  readonly message: string;
  readonly status: number;
  readonly field?: string | undefined;
  readonly fields?: readonly FieldError[] | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly userErrors?: readonly UserError[] | undefined;
}

/** Base class of all errors, except invalid arguments (TypeError) and aborted signals (their reason). */
export class UserGroupsError extends Error {
  override readonly name: string = "UserGroupsError";
}

/** There was no reply: the service is unreachable, or the connection broke. It is unknown whether the request took effect. */
export class ConnectionError extends UserGroupsError {
  override readonly name: string = "ConnectionError";
}

/** The reply was not complete in time. It is unknown whether the request took effect. */
export class TimeoutError extends ConnectionError {
  override readonly name: string = "TimeoutError";
}

/** The reply is not from the service: something else answers at this URL, or a proxy interferes. */
export class UnexpectedReplyError extends UserGroupsError {
  override readonly name: string = "UnexpectedReplyError";
  /** The HTTP status. */
  readonly status: number;
  readonly requestId: string | undefined;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined;

  constructor(
    message: string,
    reply: Pick<ApiErrorDetails, "status" | "requestId" | "retryAfter">,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.status = reply.status;
    this.requestId = reply.requestId;
    this.retryAfter = reply.retryAfter;
  }
}

/** The service refused the call; `code` is the reason. */
export class ApiError extends UserGroupsError {
  override readonly name: string = "ApiError";
  readonly code: ErrorCode;
  /** The HTTP status; 200 for `userErrors`. */
  readonly status: number;
  /** The first invalid field of the input, such as `name` or `mapping.sales`. */
  readonly field: string | undefined;
  /** All invalid fields, at most 100. Empty if the error is not about a field. */
  readonly fields: readonly FieldError[];
  /** The request ID, for support and the service's log. */
  readonly requestId: string | undefined;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined;
  readonly rateLimit: RateLimit | undefined;
  /** All errors of a mutation, of which this is the first; empty for other calls. */
  readonly userErrors: readonly UserError[];

  constructor(details: ApiErrorDetails) {
    super(details.message);
    this.code = details.code;
    this.status = details.status;
    this.field = details.field;
    this.fields = details.fields ?? [];
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
    this.rateLimit = details.rateLimit;
    this.userErrors = details.userErrors ?? [];
  }
}

/** The request is invalid: a field, the query or its size. Retrying does not help. */
export class InvalidRequestError extends ApiError {
  override readonly name: string = "InvalidRequestError";
}

/** The API key is unknown, revoked or expired. */
export class AuthenticationError extends ApiError {
  override readonly name: string = "AuthenticationError";
}

/** The API key lacks the required scope. */
export class PermissionError extends ApiError {
  override readonly name: string = "PermissionError";
}

/** The group, data source or site does not exist. */
export class NotFoundError extends ApiError {
  override readonly name: string = "NotFoundError";
}

/** The call conflicts with stored data: a taken ID, another version, another group. */
export class ConflictError extends ApiError {
  override readonly name: string = "ConflictError";
}

/** The rate limit was exceeded, even after retries. */
export class RateLimitError extends ApiError {
  override readonly name: string = "RateLimitError";
}

/** The service failed, even after retries. */
export class ServiceError extends ApiError {
  override readonly name: string = "ServiceError";
}
