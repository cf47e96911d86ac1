import { ApolloServer, type ApolloServerOptionsWithGateway, HeaderMap } from "@apollo/server";
import { ApolloServerErrorCode } from "@apollo/server/errors";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema, getOperationAST } from "graphql";
import { errorHeaders } from "../../domain/requests/error-headers.js";
import { REPLAYED_HEADER } from "../../domain/requests/idempotency-key.js";
import { DomainError, internalError, reasonOf } from "../../domain/shared/errors.js";
import { redactSecrets } from "../../domain/shared/redaction.js";
import type { Tally } from "../../telemetry/tally.js";
import { type GraphqlContext, requireContext } from "../shared/context.js";
import { domainErrorOf, errorMessage, extensionsOf, placeOf, statusOf } from "../shared/error-format.js";
import { countShownError } from "../shared/error-tally.js";
import type { OperationLimits } from "../shared/operation-limits.js";
import { isLargerThan, replyTooLarge } from "../shared/reply-budget.js";
import type { Executor } from "./executor.js";
import { limitsPlugin } from "./limits/limits-plugin.js";
import type { OperationAdmission } from "./limits/operation-admission.js";
import { tokenLimitError } from "./limits/token-limit.js";
import type { Logger } from "./logger.js";
import { replyPlugin } from "./reply-plugin.js";
import type { ReplyWriter } from "./reply-writer.js";
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
 * @param admission checks what Apollo Server has parsed
 * @param execute runs it then
 */
export function createApolloServer(
  schema: GraphQLSchema,
  admission: OperationAdmission,
  execute: Executor,
  writer: ReplyWriter,
  options: ApolloOptions,
): ApolloServer<GraphqlContext> {
  const { limits, tally, trustedDocuments } = options;
  return new ApolloServer<GraphqlContext>({
    gateway: gatewayTo(schema, admission, execute),
    // Apollo Server validates before its plugins see an operation. `admission` checks first what bounds the effort of that.
    dangerouslyDisableValidation: true,
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
    async stringifyResult(result) {
      const text = await writer.write(result);
      if (isLargerThan(text, limits.replyBytes)) throw toGraphqlError(replyTooLarge(limits.replyBytes));
      return text;
    },
    formatError(formatted, error) {
      const shown = formatError(formatted, error, limits);
      countShownError(tally, shown.extensions?.["code"]);
      return shown;
    },
    plugins: [
      replyPlugin(options.logger, limits),
      ...(trustedDocuments ? [trustedDocumentsPlugin(trustedDocuments)] : []),
      limitsPlugin(admission),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
}

/** Where Apollo Server lets another executor than its own in. */
function gatewayTo(
  schema: GraphQLSchema,
  admission: OperationAdmission,
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
          const faults = admission.faultsOf(document);
          if (faults.length > 0) return { errors: faults.map(toValidationError) };
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
  return toGraphqlError(known, requestId);
}

/** An error that Apollo Server answers with its own status, wherever it arises. */
function toGraphqlError(error: DomainError, requestId = ""): GraphQLError {
  const http = { status: statusOf(error), headers: new HeaderMap(Object.entries(errorHeaders(error))) };
  return new GraphQLError(errorMessage(error), { extensions: { ...extensionsOf(error, requestId), http } });
}

/** As Apollo Server shows it; each reply gets an error of its own, which the request's id is written to. */
function toValidationError(fault: GraphQLError): GraphQLError {
  return new GraphQLError(fault.message, {
    nodes: fault.nodes ?? null,
    originalError: fault,
    extensions: { ...fault.extensions, code: ApolloServerErrorCode.GRAPHQL_VALIDATION_FAILED },
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
  if (known)
    return {
      ...rest,
      ...placeOf(known),
      message: errorMessage(known),
      extensions: extensionsOf(known, requestId),
    };
  // What is wrong with a document or its variables is told with the words of the caller, and secrets may be among them.
  if (extensions?.["code"] !== "INTERNAL_SERVER_ERROR") {
    return { ...formatted, message: redactSecrets(formatted.message) };
  }
  const internal = internalError(error);
  return { ...rest, message: internal.message, extensions: extensionsOf(internal, requestId) };
}
