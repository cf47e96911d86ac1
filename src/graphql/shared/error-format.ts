import { ApolloServerErrorCode } from "@apollo/server/errors";
import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { errorHeaders } from "../../domain/requests/rate-limit.js";
import { ERROR_CODES, ERRORS, type ErrorCode } from "../../domain/shared/error-catalogue.js";
import { DomainError, type FieldError } from "../../domain/shared/errors.js";
import type { Metrics } from "../../telemetry/metrics.js";

/** Error codes of the domain and of Apollo Server; bounds the metric's label values. */
const CODES: ReadonlySet<string> = new Set([
  ...ERROR_CODES,
  ...Object.values(ApolloServerErrorCode).map((code) => code.toLowerCase()),
]);

/** HTTP status of user errors outside mutation payloads. */
const BAD_REQUEST = 400;

/** Returns the GraphQL name of an error code. */
export function toGraphqlCode(code: ErrorCode): string {
  return code.toUpperCase();
}

/** Returns whether a mutation reports the error in `userErrors`. */
export function isUserError(error: unknown): error is DomainError {
  return error instanceof DomainError && ERRORS[error.code].isUserError === true;
}

/** Returns the message for GraphQL, with fields by their schema names. */
export function errorMessage(error: DomainError): string {
  const [first] = error.fields;
  return first ? fieldMessage(error.code, first) : error.message;
}

export function fieldMessage(code: ErrorCode, { field, message }: FieldError): string {
  return code === "invalid_field" ? `${field.join(".")} ${message}.` : message;
}

/** Returns the HTTP status of a reply with this error and no data. */
export function statusOf(error: DomainError): number {
  const { status, isUserError } = ERRORS[error.code];
  return isUserError ? BAD_REQUEST : status;
}

/** Unwraps the domain error that a resolver threw; undefined for other errors. */
export function domainErrorOf(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return error;
  return error instanceof GraphQLError ? domainErrorOf(error.originalError) : undefined;
}

export function extensionsOf(error: DomainError, requestId: string): Record<string, unknown> {
  return {
    code: toGraphqlCode(error.code),
    ...(error.field ? { field: error.field } : {}),
    ...(error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter }),
    ...error.details,
    requestId,
  };
}

/** Returns the code of the first error, as log lines name it. */
export function firstCode(errors: readonly GraphQLFormattedError[]): string {
  return String(errors[0]?.extensions?.["code"]).toLowerCase();
}

/** Returns the document locations and path of an error, if known. */
export function locationOf({ cause }: DomainError): Pick<GraphQLFormattedError, "locations" | "path"> {
  if (!(cause instanceof GraphQLError)) return {};
  const { locations, path } = cause.toJSON();
  return { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
}

/** Renders an error that was thrown before GraphQL handled the request. */
export function renderGraphqlError(error: DomainError, requestId: string) {
  const body: { errors: GraphQLFormattedError[] } = {
    errors: [
      { message: errorMessage(error), ...locationOf(error), extensions: extensionsOf(error, requestId) },
    ],
  };
  return { status: statusOf(error), headers: errorHeaders(error), body };
}

/** Counts an error sent to a client, by code. */
export function countError({ errors }: Metrics, code: unknown): void {
  const name = String(code).toLowerCase();
  errors.inc({ api: "graphql", code: CODES.has(name) ? name : "other" });
}
