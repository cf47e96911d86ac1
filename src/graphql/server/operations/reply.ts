import type { FastifyBaseLogger } from "fastify";
import {
  type ExecutionResult,
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
} from "graphql";
import { errorHeaders } from "../../../domain/requests/error-headers.js";
import { internalError, reasonOf } from "../../../domain/shared/errors.js";
import { redactSecrets } from "../../../domain/shared/redaction.js";
import type { Metrics } from "../../../telemetry/metrics.js";
import { domainErrorOf, errorMessage, extensionsOf, placeOf, statusOf } from "../../shared/error-format.js";
import { countShownError } from "../../shared/error-metrics.js";

/** The reply to an operation, for any transport. */
export interface OperationReply {
  /** The HTTP status; whether a client that does not know GraphQL's media type sees it is decided by `server/route.ts`. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly result: FormattedExecutionResult;
}

/** What errors are reported to, and the request they belong to. */
export interface ErrorContext {
  readonly requestId: string;
  readonly log: FastifyBaseLogger;
  readonly metrics: Metrics;
}

/** Shapes the result of an operation for its caller; errors are logged and counted. */
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
  const isRequestError = data === undefined && errors.every((error) => codeOf(error) !== undefined);
  return { status: isRequestError ? 400 : 500, headers, result: shaped };
}

/** Shapes something that was thrown outside of any resolver. */
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
  // Once: an outage fails every field.
  const outage = errors.map(domainErrorOf).find((error) => error?.code === "unavailable");
  if (outage) log.warn({ requestId, reason: reasonOf(outage) }, "request not served");
  return errors.map((error) => {
    const shaped = shapeError(error, context);
    countShownError(metrics, shaped.extensions?.["code"]);
    return shaped;
  });
}

function shapeError(error: GraphQLError, { requestId, log }: ErrorContext): GraphQLFormattedError {
  const { message, locations, path, extensions } = error;
  const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
  // An error of the document or the variables quotes the caller, and secrets may be quoted.
  if (!domainErrorOf(error) && codeOf(error) !== undefined) {
    return { message: redactSecrets(message), ...place, extensions: { ...extensions, requestId } };
  }
  const known = domainErrorOf(error) ?? internalError(error.originalError ?? error);
  if (known.code === "internal") log.error({ err: known.cause ?? known, requestId }, "request failed");
  const extensionsShown = extensionsOf(known, requestId);
  return { message: errorMessage(known), ...place, ...placeOf(known), extensions: extensionsShown };
}

function codeOf(error: Pick<GraphQLError, "extensions">): unknown {
  // Errors of compiled operations have no extensions.
  const { extensions = {} } = error;
  return extensions["code"];
}
