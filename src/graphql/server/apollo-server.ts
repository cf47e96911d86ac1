import {
  ApolloServer,
  type ApolloServerPlugin,
  type GraphQLRequest,
  HeaderMap,
  type HTTPGraphQLHead,
} from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from "@apollo/server/plugin/disabled";
import type { FastifyRequest } from "fastify";
import type { FormattedExecutionResult, GraphQLSchema } from "graphql";
import { isObject } from "../../domain/shared/json.js";
import { markInexactNumbers } from "../../domain/shared/json-text.js";
import type { GraphqlContext } from "../shared/context.js";
import { formatApolloError } from "./apollo-errors.js";
import type { OperationOptions, Operations } from "./operations/operations.js";
import type { OperationReply } from "./operations/reply.js";
import { type PersistedQueries, queryNotAllowed } from "./persisted-queries.js";

/** Replaces a rejected document: Apollo Server has no hook to reject a document before it parses it. */
const PLACEHOLDER_DOCUMENT = "{ __typename }";
/** A cross-site page cannot send these headers without a preflight request. */
const PREFLIGHT_HEADERS = ["authorization", "apollo-require-preflight", "x-apollo-operation-name"] as const;

/** Returns whether a cross-site page could have caused a request without a preflight request. Apollo Server refuses these; text types get 415. */
export function needsNoPreflight({ headers }: FastifyRequest): boolean {
  return !headers["content-type"] && PREFLIGHT_HEADERS.every((name) => !headers[name]);
}

/**
 * Handles every request that the fast path does not: GET, persisted queries, content negotiation, malformed requests. Apollo Server parses
 * the request and the document, and chooses status and media type; a plugin has the operation validated and run by `Operations`, within the
 * limits that both paths share. Its result leaves through a `ResultStore`, as Apollo Server replies with text only.
 */
export class ApolloHandler {
  readonly #apollo: ApolloServer<GraphqlContext>;
  readonly #results = new ResultStore();

  /** @param options.persistedQueries allow-list of documents; undefined allows every document */
  constructor(
    schema: GraphQLSchema,
    operations: Operations,
    options: OperationOptions & { readonly persistedQueries: PersistedQueries | undefined },
  ) {
    const { limits, log, persistedQueries } = options;
    this.#apollo = new ApolloServer<GraphqlContext>({
      schema,
      // `Operations` validates after it has checked the limits that bound the cost of validation.
      dangerouslyDisableValidation: true,
      csrfPrevention: { requestHeaders: [...PREFLIGHT_HEADERS] },
      includeStacktraceInErrorResponses: false,
      stopOnTerminationSignals: false,
      nodeEnv: "production",
      logger: log,
      // Caches up to 30 MiB of automatic persisted queries.
      cache: "bounded",
      // `Operations` caches documents that may run. This cache takes several times its nominal 30 MiB.
      documentStore: null,
      ...(persistedQueries ? { persistedQueries: false } : {}),
      allowBatchedHttpRequests: false,
      parseOptions: { maxLexicalTokens: limits.tokens },
      stringifyResult: (result) => this.#results.put(result),
      formatError: (formatted, error) => formatApolloError(formatted, error, limits.tokens),
      plugins: [
        operationPlugin(operations, persistedQueries),
        ApolloServerPluginCacheControlDisabled(),
        ApolloServerPluginInlineTraceDisabled(),
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

  /** @throws any error of `contextOf` */
  async handle(request: FastifyRequest, contextOf: () => Promise<GraphqlContext>): Promise<OperationReply> {
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
    // The HTTP server sets the same Cache-Control header on every reply (decision 11).
    headers.delete("cache-control");
    return { status: status ?? 200, headers: Object.fromEntries(headers), result };
  }
}

/** Holds each result under an ID, which Apollo Server passes on as the text of the reply: only `route.ts` serializes results. */
class ResultStore {
  readonly #results = new Map<string, FormattedExecutionResult>();
  #lastId = 0;

  put(result: FormattedExecutionResult): string {
    this.#lastId += 1;
    const id = String(this.#lastId);
    this.#results.set(id, result);
    return id;
  }

  take(id: string): FormattedExecutionResult {
    const result = this.#results.get(id);
    this.#results.delete(id);
    if (!result) throw new Error("Apollo Server replied without a stored result.");
    return result;
  }
}

/** Runs documents that Apollo Server has parsed; rejects those that are not on the allow-list (decision 27). */
function operationPlugin(
  operations: Operations,
  persistedQueries: PersistedQueries | undefined,
): ApolloServerPlugin<GraphqlContext> {
  return {
    async requestDidStart({ request: startedRequest }) {
      const isTrusted = !persistedQueries || applyAllowList(startedRequest, persistedQueries);
      let answer: Promise<OperationReply> | undefined;
      return {
        async didResolveOperation({ source, document, request, contextValue, metrics }) {
          const { operationName, variables = {} } = request;
          answer = isTrusted
            ? operations.run(operations.prepare(source, operationName, document), variables, contextValue)
            : Promise.resolve(operations.fail(queryNotAllowed(), contextValue));
          // Rejected documents must not evict others from the persisted query cache.
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

/** Sets the query of the request to the allow-listed document it refers to. @returns false if there is none */
function applyAllowList(request: GraphQLRequest, documents: PersistedQueries): boolean {
  const { query, extensions, http } = request;
  const documentId =
    http?.method === "GET"
      ? new URLSearchParams(http.search).get("documentId")
      : propertyOf(http?.body, "documentId");
  const hash = propertyOf(extensions?.["persistedQuery"], "sha256Hash");
  const id = [documentId, hash].find((candidate) => typeof candidate === "string");
  const text = documents.find({ text: query || undefined, id });
  request.extensions = { ...extensions, persistedQuery: undefined };
  request.query = text ?? PLACEHOLDER_DOCUMENT;
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
  return { method, headers: map, search: start < 0 ? "" : markVariables(url.slice(start)), body };
}

/** Apollo Server parses variables of GET itself. */
function markVariables(search: string): string {
  const parameters = new URLSearchParams(search);
  const [variables, ...others] = parameters.getAll("variables");
  const marked = variables === undefined ? undefined : markInexactNumbers(variables);
  if (marked === undefined || marked === variables || others.length > 0) return search;
  parameters.set("variables", marked);
  return `?${parameters}`;
}
