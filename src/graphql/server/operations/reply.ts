import type { FastifyBaseLogger } from "fastify";
import {
  type ExecutionResult,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
} from "graphql";
import { errorHeaders } from "../../../domain/requests/rate-limit.js";
import { internalError, reasonOf } from "../../../domain/shared/errors.js";
import { redactSecrets } from "../../../domain/shared/redaction.js";
import type { Metrics } from "../../../telemetry/metrics.js";
import {
  countError,
  domainErrorOf,
  errorMessage,
  extensionsOf,
  locationOf,
  statusOf,
} from "../../shared/error-format.js";

/** The reply to an operation, for any transport. */
export interface OperationReply {
  /** HTTP status; `server/route.ts` may replace it for clients that do not accept GraphQL's media type. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly result: FormattedExecutionResult;
}

/** Request ID, log and metrics for reporting errors. */
export interface ErrorContext {
  readonly requestId: string;
  readonly log: FastifyBaseLogger;
  readonly metrics: Metrics;
}

/** Formats the result of an operation; errors are logged and counted. */
export function shapeReply(
  result: ExecutionResult,
  headers: Readonly<Record<string, string>>,
  context: ErrorContext,
): OperationReply {
  const { errors, data } = result;
  if (!errors) return { status: 200, headers, result: { data: data ?? null } };
  const shaped = { errors: shapeErrors(errors, context), ...(data === undefined ? {} : { data }) };
  if (Object.values(data ?? {}).some((value) => value !== null)) {
    return { status: 200, headers, result: shaped };
  }
  const known = errors.map(domainErrorOf).find((error) => error !== undefined);
  if (known) {
    return { status: statusOf(known), headers: { ...headers, ...errorHeaders(known) }, result: shaped };
  }
  const isRequestError = errors.every((error) => codeOf(error) !== undefined);
  return { status: isRequestError ? 400 : 500, headers, result: shaped };
}

/** Formats an error that was thrown outside any resolver. */
export function shapeFailure(
  error: unknown,
  headers: Readonly<Record<string, string>>,
  context: ErrorContext,
): OperationReply {
  const originalError = error instanceof Error ? error : internalError(error);
  const graphqlError = error instanceof GraphQLError ? error : new GraphQLError("", { originalError });
  return shapeReply({ errors: [graphqlError] }, headers, context);
}

function shapeErrors(errors: readonly GraphQLError[], context: ErrorContext): GraphQLFormattedError[] {
  const { requestId, log, metrics } = context;
  // Log an outage once per request, because it fails every field.
  const outage = errors.map(domainErrorOf).find((error) => error?.code === "unavailable");
  if (outage) log.warn({ requestId, reason: reasonOf(outage) }, "request not served");
  return errors.map((error) => {
    const shaped = shapeError(error, context);
    countError(metrics, shaped.extensions?.["code"]);
    return shaped;
  });
}

function shapeError(error: GraphQLError, { requestId, log }: ErrorContext): GraphQLFormattedError {
  const { message, locations, path, extensions } = error;
  const location = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
  // Errors in the document or variables quote the request, which may contain secrets.
  if (!domainErrorOf(error) && codeOf(error) !== undefined) {
    return { message: redactSecrets(message), ...location, extensions: { ...extensions, requestId } };
  }
  const known = domainErrorOf(error) ?? internalError(error.originalError ?? error);
  if (known.code === "internal") log.error({ err: known.cause ?? known, requestId }, "request failed");
  const extensionsShown = extensionsOf(known, requestId);
  return { message: errorMessage(known), ...location, ...locationOf(known), extensions: extensionsShown };
}

function codeOf(error: Pick<GraphQLError, "extensions">): unknown {
  // Errors of compiled operations have no extensions.
  const { extensions = {} } = error;
  return extensions["code"];
}
