import cors from "@fastify/cors";
import websocket from "@fastify/websocket";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { handleProtocols } from "graphql-ws";
import {
  IDEMPOTENCY_KEY_HEADER,
  parseIdempotencyKey,
  REPLAYED_HEADER,
} from "../../domain/requests/idempotency-key.js";
import { RATE_LIMIT_HEADERS, rateLimitHeaders } from "../../domain/requests/rate-limit-headers.js";
import { parseReadConsistency, READ_CONSISTENCY_HEADER } from "../../domain/requests/read-consistency.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { WorkQueue } from "../../services/requests/work-queue.js";
import type { Services } from "../../services/services.js";
import { createContext, type GraphqlContext, tenantOf, type Watcher } from "../shared/context.js";
import { UserGroupWatcher } from "../user-groups/watcher.js";
import { ApolloHandler } from "./apollo-server.js";
import { CallerIdentification } from "./caller-identification.js";
import { FastPath } from "./fast-path.js";
import { createSubgraphSchema } from "./federation/subgraph-schema.js";
import { type OperationOptions, Operations } from "./operations/operations.js";
import type { PersistedQueries } from "./persisted-queries.js";
import { traceRootFields } from "./root-field-tracing.js";
import { registerGraphqlRoute } from "./route.js";
import { createSchema } from "./schema.js";
import { handleSocketError, SocketHandler } from "./sockets/handler.js";
import { requireAllowedOrigin } from "./sockets/origin.js";
import { createEventStream } from "./streams/event-stream.js";
import { Subscriptions } from "./streams/subscriptions.js";

export const GRAPHQL_PATH = "/graphql";

/** Response headers that cross-origin pages may read. */
const EXPOSED_HEADERS = ["X-Request-Id", "Retry-After", ...RATE_LIMIT_HEADERS, REPLAYED_HEADER];
const DAY_S = 86_400;
/** Maximum bytes of a WebSocket message. */
const MAX_MESSAGE_BYTES = 32 * 1024;
const METHODS = ["GET", "POST"];

interface GraphqlOptions extends Omit<OperationOptions, "log"> {
  /** Whether repeated plain POST requests bypass Apollo Server. */
  readonly fastPath: boolean;
  /** Origins of pages that may call the API; they may also open WebSockets. */
  readonly corsOrigins: readonly string[] | "*";
  readonly requestTimeoutMs: number;
  /** Bounds the operations in progress. */
  readonly work: WorkQueue;
  /** Whether a router can use this API as an Apollo Federation subgraph. */
  readonly subgraph: boolean;
  /** Allow-list of documents; undefined allows every document. */
  readonly persistedQueries: PersistedQueries | undefined;
  /** Authenticates requests of the console by their session; undefined for other requests. */
  readonly openSession: (request: FastifyRequest) => Promise<void> | undefined;
  /** Serves the playground to browsers; undefined handles browsers like any other client. */
  readonly servePlayground?: ((request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) | undefined;
}

/** Registers the GraphQL API, in a scope with the prefix /graphql. */
export async function registerGraphql(
  app: FastifyInstance,
  services: Services,
  options: GraphqlOptions,
): Promise<void> {
  const { persistedQueries, servePlayground } = options;
  const { metrics, tracing } = services.telemetry;
  const schema = options.subgraph ? createSubgraphSchema() : createSchema();
  if (tracing) traceRootFields(schema, tracing);
  const rootFields = Math.min(options.limits.rootFields, services.rateLimits.maxCost);
  // A query that exceeds the full rate limit can never run: reject it as too large instead of asking for a retry.
  const operationOptions = { ...options, limits: { ...options.limits, rootFields }, log: app.log };
  const operations = new Operations(schema, services, operationOptions);
  const apollo = new ApolloHandler(schema, operations, operationOptions);
  await apollo.start();
  const callers = new CallerIdentification(services.access);
  const watcher = new UserGroupWatcher(services.userGroupWatches);
  const contextOf = createContextFactory(services, watcher, callers);
  const streams = services.eventStreams;
  const subscriptions = new Subscriptions(operations, metrics);
  const sockets = new SocketHandler({
    schema,
    services,
    watcher,
    operations,
    subscriptions,
    persistedQueries,
    work: options.work,
    requestTimeoutMs: options.requestTimeoutMs,
  });
  await app.register(websocket, {
    options: {
      handleProtocols,
      maxPayload: MAX_MESSAGE_BYTES,
      autoPong: false,
    },
    errorHandler: handleSocketError,
    // Event streams never end on their own: close them before the server waits for its connections.
    async preClose() {
      services.changes.endSubscriptions();
      sockets.closeAll();
    },
  });
  if (options.corsOrigins.length > 0) {
    await app.register(cors, {
      origin: options.corsOrigins === "*" ? "*" : [...options.corsOrigins],
      methods: METHODS,
      exposedHeaders: EXPOSED_HEADERS,
      maxAge: DAY_S,
      strictPreflight: false,
    });
  }
  registerGraphqlRoute(app, {
    contextOf,
    work: options.work,
    operations,
    apollo,
    fastPath: options.fastPath ? new FastPath(operations, metrics.caches.documents) : undefined,
    stream: createEventStream({ operations, subscriptions, streams, persistedQueries, contextOf }),
    webSocket: (socket, request) => sockets.handle(socket, request),
    maxReplyBytes: options.limits.replyBytes,
    metrics,
    async onRequest(request, reply) {
      requireMethod(request, reply);
      if (request.ws) {
        requireAllowedOrigin(request, options.corsOrigins);
      } else if (servePlayground && request.method === "GET" && acceptsHtml(request))
        await servePlayground(request, reply);
      else {
        await options.openSession(request);
        await callers.identify(request);
      }
    },
  });
}

function createContextFactory(services: Services, watcher: Watcher, callers: CallerIdentification) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<GraphqlContext> => {
    const { id, headers, ip: address } = request;
    const { authorization } = headers;
    const idempotencyKey = parseIdempotencyKey(headers[IDEMPOTENCY_KEY_HEADER]);
    const consistency = parseReadConsistency(headers[READ_CONSISTENCY_HEADER]);
    const identity = await callers.identityOf(request, reply);
    const recordWrite = () => {
      request.hasWritten = true;
    };
    const origin = { id, identity, authorization, idempotencyKey, consistency, address, recordWrite };
    const context = await createContext(services, watcher, origin);
    request.tenant = context.session && tenantOf(context.session);
    if (context.allowance) reply.headers(rateLimitHeaders(context.allowance));
    return context;
  };
}

function acceptsHtml(request: FastifyRequest): boolean {
  return request.headers.accept?.includes("text/html") === true;
}

/** @throws DomainError `method_not_allowed` */
function requireMethod({ method }: FastifyRequest, reply: FastifyReply): void {
  if (METHODS.includes(method)) return;
  const allowed = METHODS.join(", ");
  reply.header("allow", allowed);
  throw new DomainError("method_not_allowed", `${method} is not allowed on this path. Use ${allowed}.`);
}
