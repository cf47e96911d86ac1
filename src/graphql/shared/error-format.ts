import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { errorHeaders } from "../../domain/requests/error-headers.js";
import { ERROR_STATUSES } from "../../domain/requests/error-status.js";
import { DomainError, type ErrorCode, type FieldError } from "../../domain/shared/errors.js";
import { toGraphqlCode } from "./error-code-enum.js";

/** The status of a reply whose error a mutation would report in `userErrors`. */
const BAD_REQUEST = 400;

/** Says whether a mutation reports the error in `userErrors`. */
export function isUserError(error: unknown): error is DomainError {
  return error instanceof DomainError && ERROR_STATUSES[error.code].isUserError;
}

/** The message as GraphQL's callers see it: fields by their names in the schema. */
export function errorMessage(error: DomainError): string {
  const [first] = error.fields;
  return first ? fieldMessage(error.code, first) : error.message;
}

/** The message about one field. */
export function fieldMessage(code: ErrorCode, { field, message }: FieldError): string {
  return code === "invalid_field" ? `${field.join(".")} ${message}.` : message;
}

/** The HTTP status for a reply that has this error and no data. */
export function statusOf(error: DomainError): number {
  const { status, isUserError } = ERROR_STATUSES[error.code];
  return isUserError ? BAD_REQUEST : status;
}

/** The domain error behind what GraphQL caught; undefined for every other error. */
export function domainErrorOf(error: unknown): DomainError | undefined {
  if (error instanceof DomainError) return error;
  return error instanceof GraphQLError ? domainErrorOf(error.originalError) : undefined;
}

/** The `extensions` of an error. */
export function extensionsOf(error: DomainError, requestId: string): Record<string, unknown> {
  return {
    code: toGraphqlCode(error.code),
    ...(error.field ? { field: error.field } : {}),
    ...(error.retryAfter === undefined ? {} : { retryAfter: error.retryAfter }),
    ...error.figures,
    requestId,
  };
}

/** Where in the document an error lies, if that is known. */
export function placeOf({ cause }: DomainError): Pick<GraphQLFormattedError, "locations" | "path"> {
  if (!(cause instanceof GraphQLError)) return {};
  const { locations, path } = cause.toJSON();
  return { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
}

/** Renders a failure that comes before GraphQL gets to see the request. */
export function renderGraphqlError(error: DomainError, requestId: string) {
  const body: { errors: GraphQLFormattedError[] } = {
    errors: [{ message: errorMessage(error), ...placeOf(error), extensions: extensionsOf(error, requestId) }],
  };
  return { status: statusOf(error), headers: errorHeaders(error), body };
}
