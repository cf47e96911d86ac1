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
import type { GraphqlContext } from "../../shared/context.js";
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

/** The parts of a request's context that reports of errors need. */
export type ErrorContext = Pick<GraphqlContext, "requestId" | "metrics">;

/** Formats the result of an operation; errors are logged and counted. */
export function shapeReply(
  result: ExecutionResult,
  headers: Readonly<Record<string, string>>,
  context: ErrorContext,
  log: FastifyBaseLogger,
): OperationReply {
  const { errors, data } = result;
  if (!errors) return { status: 200, headers, result: { data: data ?? null } };
  const shaped = { errors: shapeErrors(errors, context, log), ...(data === undefined ? {} : { data }) };
  if (Object.values(data ?? {}).some((value) => value !== null)) {
    return { status: 200, headers, result: shaped };
  }
  const all = errors.map(domainErrorOf);
  // Errors below a field remain when a later failure nulls it: the request can be repeated.
  const known =
    all.find((error) => error?.code === "unavailable") ?? all.find((error) => error !== undefined);
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
  log: FastifyBaseLogger,
): OperationReply {
  const originalError = error instanceof Error ? error : internalError(error);
  const graphqlError = error instanceof GraphQLError ? error : new GraphQLError("", { originalError });
  return shapeReply({ errors: [graphqlError] }, headers, context, log);
}

function shapeErrors(
  errors: readonly GraphQLError[],
  { requestId, metrics }: ErrorContext,
  log: FastifyBaseLogger,
): GraphQLFormattedError[] {
  // Log an outage once per request, because it fails every field.
  const outage = errors.map(domainErrorOf).find((error) => error?.code === "unavailable");
  if (outage) log.warn({ requestId, reason: reasonOf(outage) }, "request not served");
  return errors.map((error) => {
    const shaped = shapeError(error, requestId, log);
    countError(metrics, shaped.extensions?.["code"]);
    return shaped;
  });
}

function shapeError(error: GraphQLError, requestId: string, log: FastifyBaseLogger): GraphQLFormattedError {
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
