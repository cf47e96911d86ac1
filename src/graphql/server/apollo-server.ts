import {
  ApolloServer,
  type ApolloServerPlugin,
  type GraphQLRequest,
  HeaderMap,
  type HTTPGraphQLHead,
} from "@apollo/server";
import { ApolloServerErrorCode } from "@apollo/server/errors";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import type { FastifyRequest } from "fastify";
import {
  type FormattedExecutionResult,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
} from "graphql";
import { internalError } from "../../domain/shared/errors.js";
import { isObject } from "../../domain/shared/json.js";
import { redactSecrets } from "../../domain/shared/redaction.js";
import type { GraphqlContext } from "../shared/context.js";
import { toGraphqlCode } from "../shared/error-code-enum.js";
import { tokenLimitError } from "./limits/token-limit.js";
import type { OperationOptions, Operations } from "./operations/operations.js";
import type { OperationReply } from "./operations/reply.js";
import { type TrustedDocuments, untrustedDocument } from "./trusted-documents.js";

/** Stands in for a document that is refused, as Apollo Server cannot refuse one before it is parsed. */
const STAND_IN = "{ __typename }";

/** Answers every request but repeated plain POST requests: GET, persisted queries, content negotiation, malformed requests. */
export class ApolloFrontDoor {
  readonly #apollo: ApolloServer<GraphqlContext>;
  readonly #results = new ResultHandover();

  /** @param options.trustedDocuments the only documents that run; undefined: every document may */
  constructor(
    schema: GraphQLSchema,
    operations: Operations,
    options: OperationOptions & { readonly trustedDocuments: TrustedDocuments | undefined },
  ) {
    const { limits, log, trustedDocuments } = options;
    this.#apollo = new ApolloServer<GraphqlContext>({
      schema,
      // `Operations` validates, after it has checked what bounds the effort of that.
      dangerouslyDisableValidation: true,
      // A page of another site cannot send these without a preflight request.
      csrfPrevention: {
        requestHeaders: ["authorization", "apollo-require-preflight", "x-apollo-operation-name"],
      },
      includeStacktraceInErrorResponses: false,
      stopOnTerminationSignals: false,
      nodeEnv: "production",
      logger: log,
      // For automatic persisted queries and for parsed documents, up to 30 MiB each.
      cache: "bounded",
      ...(trustedDocuments ? { persistedQueries: false } : {}),
      allowBatchedHttpRequests: false,
      parseOptions: { maxLexicalTokens: limits.tokens },
      stringifyResult: (result) => this.#results.put(result),
      formatError: (formatted, error) => formatError(formatted, error, limits.tokens),
      plugins: [
        operationPlugin(operations, trustedDocuments),
        ApolloServerPluginCacheControlDisabled(),
        ApolloServerPluginLandingPageDisabled(),
        ApolloServerPluginUsageReportingDisabled(),
      ],
    });
  }

  start(): Promise<void> {
    return this.#apollo.start();
  }

  stop(): Promise<void> {
    return this.#apollo.stop();
  }

  /** @throws what `contextOf` throws */
  async answer(request: FastifyRequest, contextOf: () => Promise<GraphqlContext>): Promise<OperationReply> {
    let contextError: { readonly error: unknown } | undefined;
    const { status, headers, body } = await this.#apollo.executeHTTPGraphQLRequest({
      httpGraphQLRequest: toHttpRequest(request),
      context: () =>
        contextOf().catch((error: unknown) => {
          contextError = { error };
          throw error;
        }),
    });
    if (body.kind !== "complete") throw new Error("Incremental delivery is not supported.");
    const result = this.#results.take(body.string);
    if (contextError) throw contextError.error;
    // Every reply has the same (decision 11).
    headers.delete("cache-control");
    return { status: status ?? 200, headers: Object.fromEntries(headers), result };
  }
}

/** Apollo Server replies with text. It gets a ticket for each result instead, so that results are written in one place (`route.ts`). */
class ResultHandover {
  readonly #results = new Map<string, FormattedExecutionResult>();
  #lastTicket = 0;

  put(result: FormattedExecutionResult): string {
    this.#lastTicket += 1;
    const ticket = String(this.#lastTicket);
    this.#results.set(ticket, result);
    return ticket;
  }

  take(ticket: string): FormattedExecutionResult {
    const result = this.#results.get(ticket);
    this.#results.delete(ticket);
    if (!result) throw new Error("Apollo Server has written a reply by itself.");
    return result;
  }
}

/** Runs what Apollo Server has parsed, unless it is no trusted document (decision 27). */
function operationPlugin(
  operations: Operations,
  trustedDocuments: TrustedDocuments | undefined,
): ApolloServerPlugin<GraphqlContext> {
  return {
    async requestDidStart({ request: started }) {
      const isTrusted = !trustedDocuments || replaceByTrusted(started, trustedDocuments);
      let answer: Promise<OperationReply> | undefined;
      return {
        async didResolveOperation({ source, document, request, contextValue, metrics }) {
          const { operationName, variables = {} } = request;
          answer = isTrusted
            ? operations.run(operations.prepare(source, operationName, document), variables, contextValue)
            : Promise.resolve(operations.fail(untrustedDocument(), contextValue));
          // A document that is refused must not displace others from the cache of persisted queries.
          if (!("data" in (await answer).result)) metrics.persistedQueryRegister = false;
        },
        async responseForOperation() {
          if (!answer) return null;
          const { status, headers, result } = await answer;
          const http: HTTPGraphQLHead = { status, headers: new HeaderMap(Object.entries(headers)) };
          return { http, body: { kind: "single", singleResult: result } };
        },
      };
    },
  };
}

/** Replaces the document of a request by the trusted one that it names. @returns whether there is one */
function replaceByTrusted(request: GraphQLRequest, documents: TrustedDocuments): boolean {
  const { query, extensions, http } = request;
  const documentId =
    http?.method === "GET"
      ? new URLSearchParams(http.search).get("documentId")
      : propertyOf(http?.body, "documentId");
  const hash = propertyOf(extensions?.["persistedQuery"], "sha256Hash");
  const id = [documentId, hash].find((candidate) => typeof candidate === "string");
  const text = documents.find({ text: query || undefined, id });
  request.extensions = { ...extensions, persistedQuery: undefined };
  request.query = text ?? STAND_IN;
  return text !== null;
}

function propertyOf(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function toHttpRequest({ method, url, headers, body }: FastifyRequest) {
  const map = new HeaderMap();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) map.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  const start = url.indexOf("?");
  return { method, headers: map, search: start < 0 ? "" : url.slice(start), body };
}

/** Formats an error of Apollo Server itself; the request's ID is added in `route.ts`. */
function formatError(
  formatted: GraphQLFormattedError,
  error: unknown,
  maxTokens: number,
): GraphQLFormattedError {
  const { extensions, ...rest } = formatted;
  const known = tokenLimitError(error, maxTokens);
  if (known) {
    const code = toGraphqlCode(known.code);
    return { ...rest, message: known.message, extensions: { code, ...known.figures } };
  }
  const code = codeOf(error) ?? extensions?.["code"];
  if (code === ApolloServerErrorCode.INTERNAL_SERVER_ERROR) {
    const { code: internal, message } = internalError(error);
    return { ...rest, message, extensions: { code: toGraphqlCode(internal) } };
  }
  // The message may quote a secret that the caller has sent.
  return { ...rest, message: redactSecrets(formatted.message), extensions: { ...extensions, code } };
}

/** Apollo Server gives some errors a status but no code, or another code than ours. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof GraphQLError)) return undefined;
  const { http, code } = error.extensions;
  const status = propertyOf(http, "status");
  if (status === 405) return "METHOD_NOT_ALLOWED";
  return status === 400 && code === undefined ? ApolloServerErrorCode.BAD_REQUEST : undefined;
}
