import type { ErrorCode as SchemaErrorCode, UserErrorFieldsFragment } from "./generated/operations.js";

/** What went wrong, by the service's codes; later versions of the service may have more. */
export type ErrorCode = Lowercase<SchemaErrorCode> | (string & Record<never, never>);

/** Why a mutation changed nothing, as GraphQL tells it. */
export type UserError = UserErrorFieldsFragment;

/** What is wrong with one field of the input. */
export interface FieldError {
  /** Such as `name` or `mapping.sales`. */
  readonly field: string;
  /** For people. */
  readonly message: string;
}

/** What a service tells of a failure. */
export interface ApiErrorDetails {
  readonly code: ErrorCode;
  readonly message: string;
  readonly status: number;
  readonly field?: string | undefined;
  readonly fields?: readonly FieldError[] | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfter?: number | undefined;
  readonly userErrors?: readonly UserError[] | undefined;
}

/** What every failure of a call is an instance of, but a wrong argument (TypeError) and an aborted signal (its reason). */
export class UserGroupsError extends Error {
  override readonly name: string = "UserGroupsError";
}

/** There was no reply: the service is out of reach, or the connection broke. Whether the request took effect is unknown. */
export class ConnectionError extends UserGroupsError {
  override readonly name: string = "ConnectionError";
}

/** There was no whole reply in time. Whether the request took effect is unknown. */
export class TimeoutError extends ConnectionError {
  override readonly name: string = "TimeoutError";
}

/** What came back is not a reply of the service: something else answers at the address, or stands in between. */
export class UnexpectedReplyError extends UserGroupsError {
  override readonly name: string = "UnexpectedReplyError";
  /** The HTTP status. */
  readonly status: number;
  readonly requestId: string | undefined;
  /** Seconds after which a retry makes sense. */
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

/** The service refused the call. `code` tells why. */
export class ApiError extends UserGroupsError {
  override readonly name: string = "ApiError";
  readonly code: ErrorCode;
  /** The HTTP status; 200 for what GraphQL tells in `userErrors`. */
  readonly status: number;
  /** The faulty field of the input, such as `name` or `mapping.sales`. */
  readonly field: string | undefined;
  /** Every invalid field, of which `field` is the first; the service lists up to 100. Empty when the error is not about a field. */
  readonly fields: readonly FieldError[];
  /** What to name when you ask the service's operators. */
  readonly requestId: string | undefined;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | undefined;
  /** All faults of a mutation, of which this error is the first; empty for other calls. */
  readonly userErrors: readonly UserError[];

  constructor(details: ApiErrorDetails) {
    super(details.message);
    this.code = details.code;
    this.status = details.status;
    this.field = details.field;
    this.fields = details.fields ?? [];
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
    this.userErrors = details.userErrors ?? [];
  }
}

/** The request is wrong: a field, the query, the size. To send it again does not help. */
export class InvalidRequestError extends ApiError {
  override readonly name: string = "InvalidRequestError";
}

/** The API key is unknown, revoked or expired. */
export class AuthenticationError extends ApiError {
  override readonly name: string = "AuthenticationError";
}

/** The API key lacks the scope. */
export class PermissionError extends ApiError {
  override readonly name: string = "PermissionError";
}

/** There is no such group, data source or site. */
export class NotFoundError extends ApiError {
  override readonly name: string = "NotFoundError";
}

/** The call contradicts what is there: an id that is taken, another version, another group. */
export class ConflictError extends ApiError {
  override readonly name: string = "ConflictError";
}

/** The allowance is used up, and was still after the retries. */
export class RateLimitError extends ApiError {
  override readonly name: string = "RateLimitError";
}

/** The service failed, and still did after the retries. */
export class ServiceError extends ApiError {
  override readonly name: string = "ServiceError";
}
