import { ApolloServer, type ApolloServerOptionsWithGateway, HeaderMap } from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema, getOperationAST } from "graphql";
import { errorHeaders } from "../domain/error-headers.js";
import { DomainError, internalError, reasonOf } from "../domain/errors.js";
import { REPLAYED_HEADER } from "../domain/idempotency-key.js";
import { redactSecrets } from "../domain/redaction.js";
import type { Tally } from "../domain/telemetry/tally.js";
import { type GraphqlContext, requireContext } from "./context.js";
import { domainErrorOf, errorMessage, extensionsOf, statusOf } from "./error-format.js";
import { countShownError } from "./error-tally.js";
import type { Executor } from "./executor.js";
import { frontEndFieldsPlugin } from "./front-end-fields.js";
import { limitsPlugin } from "./limits-plugin.js";
import type { Logger } from "./logger.js";
import type { OperationLimits } from "./operation-limits.js";
import { replyPlugin } from "./reply-plugin.js";
import { tokenLimitError } from "./token-limit.js";
import type { TrustedDocuments } from "./trusted-documents.js";
import { trustedDocumentsPlugin } from "./trusted-documents-plugin.js";

export interface ApolloOptions {
  readonly introspection: boolean;
  readonly limits: OperationLimits;
  /** The only documents that run; undefined: every document may. */
  readonly trustedDocuments: TrustedDocuments | undefined;
  readonly logger: Logger;
  readonly tally: Tally;
}

/**
 * Sets up Apollo Server; it is not started yet.
 * @param execute runs what Apollo Server has parsed and checked
 */
export function createApolloServer(
  schema: GraphQLSchema,
  execute: Executor,
  options: ApolloOptions,
): ApolloServer<GraphqlContext> {
  const { limits, tally, trustedDocuments } = options;
  return new ApolloServer<GraphqlContext>({
    gateway: gatewayTo(schema, execute),
    introspection: options.introspection,
    hideSchemaDetailsFromClientErrors: !options.introspection,
    // A page of another site cannot send these without the browser asking us first.
    csrfPrevention: {
      requestHeaders: ["authorization", "apollo-require-preflight", "x-apollo-operation-name"],
    },
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    nodeEnv: "production",
    logger: options.logger,
    // Of automatic persisted queries and of parsed documents, up to 30 MiB each.
    cache: "bounded",
    ...(trustedDocuments ? { persistedQueries: false } : {}),
    allowBatchedHttpRequests: false,
    parseOptions: { maxLexicalTokens: limits.tokens },
    formatError(formatted, error) {
      const shown = formatError(formatted, error, limits);
      countShownError(tally, shown.extensions?.["code"]);
      return shown;
    },
    plugins: [
      replyPlugin(options.logger, limits),
      ...(trustedDocuments ? [trustedDocumentsPlugin(trustedDocuments)] : []),
      limitsPlugin(limits),
      frontEndFieldsPlugin(),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
}

/** Where Apollo Server lets another executor than its own in. */
function gatewayTo(
  schema: GraphQLSchema,
  execute: Executor,
): ApolloServerOptionsWithGateway<GraphqlContext>["gateway"] {
  return {
    onSchemaLoadOrUpdate(callback) {
      callback({ apiSchema: schema, coreSupergraphSdl: "" });
      return () => undefined;
    },
    async load() {
      return {
        async executor({ context, document, request, response, source }) {
          requireContext(context);
          const { operationName } = request;
          return execute({
            document,
            operationName,
            operation: getOperationAST(document, operationName) ?? null,
            source,
            variables: request.variables ?? {},
            context,
            onReplay: () => response?.http?.headers.set(REPLAYED_HEADER, "true"),
          });
        },
      };
    },
    stop: async () => undefined,
  };
}

/** Makes the failure to create a context one that Apollo answers with the right status. */
export function toContextError(error: unknown, requestId: string, logger: Logger): GraphQLError {
  const known = error instanceof DomainError ? error : internalError(error);
  if (known.code === "internal") logger.error({ err: error, requestId }, "request failed");
  if (known.code === "unavailable") logger.warn({ requestId, reason: reasonOf(known) }, "request not served");
  const http = { status: statusOf(known), headers: new HeaderMap(Object.entries(errorHeaders(known))) };
  return new GraphQLError(errorMessage(known), {
    extensions: { ...extensionsOf(known, requestId), http },
  });
}

function formatError(
  formatted: GraphQLFormattedError,
  error: unknown,
  limits: OperationLimits,
): GraphQLFormattedError {
  const { extensions, ...rest } = formatted;
  const requestId = String(extensions?.["requestId"] ?? "");
  const known = domainErrorOf(error) ?? tokenLimitError(error, limits.tokens);
  if (known) return { ...rest, message: errorMessage(known), extensions: extensionsOf(known, requestId) };
  // What is wrong with a document or its variables is told with the words of the caller, and secrets may be among them.
  if (extensions?.["code"] !== "INTERNAL_SERVER_ERROR") {
    return { ...formatted, message: redactSecrets(formatted.message) };
  }
  const internal = internalError(error);
  return { ...rest, message: internal.message, extensions: extensionsOf(internal, requestId) };
}
