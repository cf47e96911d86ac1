import cors from "@fastify/cors";
import websocket from "@fastify/websocket";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { handleProtocols } from "graphql-ws";
import { REPLAYED_HEADER } from "../../domain/requests/idempotency-key.js";
import { RATE_LIMIT_HEADERS } from "../../domain/requests/rate-limit.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { Work } from "../../services/requests/work-limit.js";
import type { Services } from "../../services/services.js";
import { UserGroupWatcher } from "../user-groups/watcher.js";
import { ApolloHandler } from "./apollo-server.js";
import { Callers } from "./callers.js";
import { createSubgraphSchema } from "./federation/subgraph-schema.js";
import { type OperationOptions, Operations } from "./operations/operations.js";
import type { PersistedQueries } from "./persisted-queries.js";
import { traceRootFields } from "./root-field-tracing.js";
import { registerGraphqlRoute } from "./route.js";
import { createSchema } from "./schema.js";
import { type AllowedOrigins, requireAllowedOrigin } from "./sockets/allowed-origins.js";
import { handleSocketError, SocketHandler } from "./sockets/handler.js";
import { createEventStream } from "./streams/event-stream.js";
import { StreamOperations } from "./streams/stream-operations.js";

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
  readonly corsOrigins: AllowedOrigins;
  readonly requestTimeoutMs: number;
  /** Bounds the operations in progress. */
  readonly work: Work;
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
  const watcher = new UserGroupWatcher(services.userGroupWatches);
  const callers = new Callers(services, watcher);
  const { eventStreams } = services;
  const streams = new StreamOperations({ operations, eventStreams, metrics, persistedQueries });
  const sockets = new SocketHandler({
    schema,
    services,
    watcher,
    streams,
    work: options.work,
    requestTimeoutMs: options.requestTimeoutMs,
  });
  await app.register(websocket, {
    options: {
      handleProtocols,
      maxPayload: MAX_MESSAGE_BYTES,
      autoPong: false,
      // At most one message of each WebSocket per turn of the event loop.
      allowSynchronousEvents: false,
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
    callers,
    operations,
    apollo,
    fastPath: options.fastPath,
    stream: createEventStream({ streams, callers, maxReplyBytes: options.limits.replyBytes }),
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
