import { ApolloServer, HeaderMap } from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import { GraphQLError, type GraphQLFormattedError } from "graphql";
import { DomainError } from "../domain/errors.js";
import type { Services } from "../services/services.js";
import type { GraphqlContext } from "./context.js";
import { domainErrorOf, errorMessage, extensionsOf, headersOf, statusOf } from "./error-format.js";
import { frontEndFieldsPlugin } from "./front-end-fields.js";
import type { Logger } from "./logger.js";
import { replyPlugin } from "./reply-plugin.js";
import { createSchema } from "./schema.js";

/** Sets up Apollo Server; it is not started yet. */
export function createApolloServer(
  services: Services,
  options: { readonly introspection: boolean; readonly logger: Logger },
): ApolloServer<GraphqlContext> {
  return new ApolloServer<GraphqlContext>({
    schema: createSchema(services),
    introspection: options.introspection,
    hideSchemaDetailsFromClientErrors: !options.introspection,
    csrfPrevention: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    nodeEnv: "production",
    logger: options.logger,
    formatError,
    plugins: [
      replyPlugin(options.logger),
      frontEndFieldsPlugin(),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
    ],
  });
}

/** Makes the failure to create a context one that Apollo answers with the right status. */
export function toContextError(error: unknown, requestId: string, logger: Logger): GraphQLError {
  const known = error instanceof DomainError ? error : internalError(error);
  if (known.code === "internal") logger.error({ err: error, requestId }, "request failed");
  const http = { status: statusOf(known), headers: new HeaderMap(Object.entries(headersOf(known))) };
  return new GraphQLError(errorMessage(known), {
    extensions: { ...extensionsOf(known, requestId), http },
  });
}

function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const { extensions, ...rest } = formatted;
  const requestId = String(extensions?.["requestId"] ?? "");
  const known = domainErrorOf(error);
  if (known) return { ...rest, message: errorMessage(known), extensions: extensionsOf(known, requestId) };
  if (extensions?.["code"] !== "INTERNAL_SERVER_ERROR") return formatted;
  const internal = internalError(error);
  return { ...rest, message: internal.message, extensions: extensionsOf(internal, requestId) };
}

function internalError(cause: unknown): DomainError {
  return new DomainError("internal", "Something went wrong on our side.", { cause });
}
