import type { WebSocket } from "@fastify/websocket";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { GraphQLFormattedError } from "graphql";
import { LRUCache } from "lru-cache";
import { DomainError } from "../../domain/shared/errors.js";
import { isObject, isPresent } from "../../domain/shared/json.js";
import type { CountLookup, Metrics } from "../../telemetry/metrics.js";
import { countError, firstCode } from "../shared/error-format.js";
import { stringifyReply } from "../shared/raw-json.js";
import { isLargerThan, replyTooLarge } from "../shared/reply-budget.js";
import { type ApolloHandler, needsNoPreflight } from "./apollo-server.js";
import type { Callers } from "./callers.js";
import type { Variables } from "./limits/operation-measure.js";
import type { Operations } from "./operations/operations.js";
import type { PreparedOperation } from "./operations/prepared-operation.js";
import type { OperationReply } from "./operations/reply.js";
import { acceptsEventStream } from "./streams/event-stream.js";

/** Maximum number of Accept headers whose content type is cached. */
const MAX_ACCEPT_HEADERS = 100;
/** A cross-site page cannot send this content type without a preflight request. */
const JSON_TYPE = /^application\/json\s*(?:;|$)/;

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

interface RouteOptions {
  /** Runs before the body is read. */
  readonly onRequest: Handler;
  readonly callers: Callers;
  readonly operations: Operations;
  readonly apollo: ApolloHandler;
  /** Whether repeated plain POST requests bypass Apollo Server. */
  readonly fastPath: boolean;
  readonly stream: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  readonly webSocket: (socket: WebSocket, request: FastifyRequest) => void;
  readonly maxReplyBytes: number;
  readonly metrics: Metrics;
}

/** In bytes: fits the largest site configuration as an escaped JSON string (decision 12). */
const BODY_LIMIT = 4 * 1024 * 1024;

const GRAPHQL_MEDIA_TYPE = "application/graphql-response+json";
/** Error codes for invalid documents and variables, as opposed to malformed HTTP requests. */
const DOCUMENT_ERRORS = new Set<unknown>([
  "GRAPHQL_PARSE_FAILED",
  "GRAPHQL_VALIDATION_FAILED",
  "BAD_USER_INPUT",
]);

/** Registers the route for queries, mutations and subscriptions at the prefix of the scope. */
export function registerGraphqlRoute(app: FastifyInstance, options: RouteOptions): void {
  const { callers, operations, apollo, maxReplyBytes, metrics } = options;
  const fastPath = options.fastPath ? new FastPath(operations, metrics.caches.documents) : undefined;

  app.addHook("onSend", (request, reply, _payload, done) => {
    // Clients that support GraphQL's media type ignore the errors in a failed response of another type.
    if (reply.statusCode >= 400 && acceptsGraphqlMediaType(request)) {
      reply.type(`${GRAPHQL_MEDIA_TYPE}; charset=utf-8`);
    }
    done();
  });
  app.addHook("onClose", () => apollo.stop());
  const route = {
    url: "/",
    prefixTrailingSlash: "no-slash",
    bodyLimit: BODY_LIMIT,
    onRequest: options.onRequest,
    async handler(request: FastifyRequest, reply: FastifyReply) {
      if (Array.isArray(request.body)) throw batchingDisabled(request.body.length);
      if (acceptsEventStream(request) && !needsNoPreflight(request)) return options.stream(request, reply);
      const match = fastPath?.match(request);
      const { status, headers, result } = match
        ? await operations.run(match.prepared, match.variables, await callers.contextOf(request, reply))
        : withRequestId(
            await apollo.handle(request, () => callers.contextOf(request, reply)),
            request,
            metrics,
          );
      const text = `${stringifyReply(result)}\n`;
      if (isLargerThan(text, maxReplyBytes)) throw replyTooLarge(maxReplyBytes);
      reply.headers(headers);
      if (result.errors) reply.code(statusFor(request, status, result.errors));
      if (match) reply.header("content-type", match.contentType);
      else fastPath?.recordReply(request, reply);
      return text;
    },
  } as const;
  app.route({ ...route, method: app.supportedMethods.filter((method) => method !== "GET") });
  app.route({ ...route, method: "GET", wsHandler: options.webSocket });
}

/** Adds the request ID to errors that Apollo Server raised before the context was created. */
function withRequestId(answer: OperationReply, { id }: FastifyRequest, metrics: Metrics): OperationReply {
  const { errors } = answer.result;
  if (!errors) return answer;
  const completed = errors.map((error): GraphQLFormattedError => {
    const { extensions } = error;
    if (extensions?.["requestId"] !== undefined) return error;
    countError(metrics, extensions?.["code"]);
    return { ...error, extensions: { ...extensions, requestId: id } };
  });
  return { ...answer, result: { ...answer.result, errors: completed } };
}

/** Records the error code and returns the HTTP status: GraphQL over HTTP wants 200 for invalid documents if the client does not accept GraphQL's media type. */
function statusFor(
  request: FastifyRequest,
  status: number,
  errors: readonly GraphQLFormattedError[],
): number {
  const codes = errors.map(({ extensions }) => extensions?.["code"]);
  request.errorCode = firstCode(errors);
  if (status === 400 && !acceptsGraphqlMediaType(request) && codes.every((code) => DOCUMENT_ERRORS.has(code)))
    return 200;
  return status;
}

function acceptsGraphqlMediaType({ headers: { accept } }: FastifyRequest): boolean {
  return accept?.includes(GRAPHQL_MEDIA_TYPE) === true;
}

function batchingDisabled(actual: number): DomainError {
  const message = "Batching is not supported. Send each operation in its own request.";
  return new DomainError("batching_disabled", message, { details: { limit: 1, actual } });
}

/** A request that can run without Apollo Server. */
interface FastPathMatch {
  readonly prepared: PreparedOperation;
  readonly variables: Variables;
  readonly contentType: string;
}

/** Recognizes plain POST requests whose operation has run before (decision 41). */
class FastPath {
  /** Content types negotiated by Apollo Server, by Accept header. */
  readonly #contentTypes = new LRUCache<string, string>({ max: MAX_ACCEPT_HEADERS });

  constructor(
    private readonly operations: Operations,
    private readonly countLookup: CountLookup,
  ) {}

  match({ method, headers, body }: FastifyRequest): FastPathMatch | null {
    const { accept = "", "content-type": type = "" } = headers;
    const contentType = this.#contentTypes.get(accept);
    if (contentType === undefined || method !== "POST" || !JSON_TYPE.test(type) || !isObject(body))
      return null;
    const { query, extensions } = body;
    const variables = body["variables"] ?? {};
    const operationName = body["operationName"] ?? undefined;
    const hasName = typeof operationName === "string" || operationName === undefined;
    const isPlain = typeof query === "string" && hasName && isObject(variables) && !isPresent(extensions);
    const prepared = isPlain ? this.operations.find(query, operationName) : undefined;
    if (isPlain && prepared) {
      this.countLookup("hit");
      return { prepared, variables, contentType };
    }
    this.countLookup("miss");
    return null;
  }

  /** Caches the content type that Apollo Server chose for a reply. */
  recordReply({ headers: { accept = "" } }: FastifyRequest, reply: FastifyReply): void {
    const type = reply.getHeader("content-type");
    if (reply.statusCode === 200 && typeof type === "string") this.#contentTypes.set(accept, type);
  }
}
