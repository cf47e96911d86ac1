import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { errorHeaders } from "../../domain/requests/error-headers.js";
import { DomainError, type ErrorCode, type FieldError } from "../../domain/shared/errors.js";
import { toGraphqlCode } from "./error-code-enum.js";

interface Rendering {
  /** The status of the reply when the error leaves no data at all. */
  readonly status: number;
  /** Whether a mutation reports it in `userErrors`: something the caller's user can act upon. */
  readonly userError: boolean;
}

const request = (status: number): Rendering => ({ status, userError: false });
const userError: Rendering = { status: 400, userError: true };

/** How GraphQL shows every error code. */
const RENDERINGS: Readonly<Record<ErrorCode, Rendering>> = {
  bad_request: request(400),
  invalid_json: request(400),
  invalid_field: userError,
  unauthenticated: request(401),
  forbidden: request(403),
  not_found: request(404),
  user_group_not_found: userError,
  data_source_not_found: userError,
  api_key_not_found: userError,
  site_config_not_found: userError,
  webhook_endpoint_not_found: userError,
  webhook_delivery_not_found: userError,
  method_not_allowed: request(405),
  user_group_mismatch: userError,
  user_group_exists: userError,
  data_source_exists: userError,
  data_source_in_use: userError,
  version_conflict: userError,
  invalid_site_config: userError,
  idempotency_mismatch: request(422),
  idempotency_key_in_use: request(409),
  payload_too_large: request(413),
  unsupported_media_type: request(415),
  unknown_data_source: userError,
  rate_limited: request(429),
  slow_consumer: request(503),
  query_too_deep: request(400),
  too_many_aliases: request(400),
  too_many_root_fields: request(400),
  too_many_tokens: request(400),
  query_too_expensive: request(400),
  untrusted_document: request(400),
  batching_disabled: request(400),
  internal: request(500),
  unavailable: request(503),
};

/** Says whether a mutation reports the error in `userErrors`. */
export function isUserError(error: unknown): error is DomainError {
  return error instanceof DomainError && RENDERINGS[error.code].userError;
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
  return RENDERINGS[error.code].status;
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
