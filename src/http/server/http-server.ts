// Must be imported first: TypeGraphQL's decorators need it.
import "reflect-metadata";
import { IncomingMessage, METHODS } from "node:http";
import { Socket } from "node:net";
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import { DomainError, internalError, reasonOf } from "../../domain/shared/errors.js";
import { redactSecrets } from "../../domain/shared/redaction.js";
import { SMALL_BODY_LIMIT } from "../../graphql/server/callers.js";
import type { PersistedQueries } from "../../graphql/server/persisted-queries.js";
import { GRAPHQL_PATH, registerGraphql } from "../../graphql/server/plugin.js";
import type { AllowedOrigins } from "../../graphql/server/sockets/allowed-origins.js";
import { renderGraphqlError } from "../../graphql/shared/error-format.js";
import type { OperationLimits } from "../../graphql/shared/operation-limits.js";
import { renderError } from "../../rest/errors.js";
import { MERGE_PATCH_TYPE } from "../../rest/openapi.js";
import { notFound, recordRoutes, registerRestRoutes } from "../../rest/routes.js";
import type { Usage } from "../../services/accounts/usage.js";
import { EventLoopTurns } from "../../services/requests/event-loop-turns.js";
import { type Work, WorkLimit } from "../../services/requests/work-limit.js";
import type { Services } from "../../services/services.js";
import type { HttpState } from "../../telemetry/metrics.js";
import { countOnly, type Telemetry } from "../../telemetry/telemetry.js";
import { idsOf, recordedSpan } from "../../telemetry/tracing.js";
import { type PagesOptions, registerPages } from "../pages/pages.js";
import { acceptBodies } from "./bodies.js";
import {
  type ConnectionLimits,
  Connections,
  DEFAULT_CONNECTION_LIMITS,
  FULL_CONNECTIONS,
} from "./connections.js";
import { brokenRequestHandler } from "./raw-reply.js";
import { HEALTH_CHECKS, requestId, setCommonHeaders, superviseRequests } from "./requests.js";
import {
  type MetricsAccess,
  type MetricsReader,
  registerHealthRoutes,
  registerMetricsRoute,
  registerSchemaRoutes,
  registerSecurityContact,
} from "./service-routes.js";
import { UnsentBytes } from "./unsent-bytes.js";

/** Number of timeout checks per request timeout. */
const TIMEOUT_CHECKS = 6;
/** 255 characters of up to 4 bytes, each percent-encoded. */
const MAX_PARAMETER_LENGTH = 255 * 4 * 3;

export interface HttpOptions extends Omit<PagesOptions, "notFound"> {
  /** Service version. */
  readonly version: string;
  readonly corsOrigins: AllowedOrigins;
  /** Contact URI of `/.well-known/security.txt`; undefined serves none. */
  readonly securityContact: string | undefined;
  /** Executions of a GraphQL document before it is compiled; Infinity disables compilation. */
  readonly compileAfter: number;
  /** Run documents that Apollo Server has executed before without Apollo Server. */
  readonly fastPath: boolean;
  readonly introspection: boolean;
  /** Serve the fields of an Apollo Federation subgraph. */
  readonly subgraph: boolean;
  /** Request timeout in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Returns whether the service is shutting down, so that `/readyz` fails. */
  readonly isShuttingDown: () => boolean;
  readonly limits: OperationLimits;
  readonly connectionLimits: ConnectionLimits;
  /** Addresses and networks of proxies whose X-Forwarded-For header is trusted. */
  readonly trustedProxies: readonly string[];
  /** Allow-list of persisted queries; undefined allows all documents. */
  readonly persistedQueries: PersistedQueries | undefined;
  readonly log: {
    readonly level: string;
    readonly stream: { write(line: string): void };
    /** Maximum log lines per second for successful requests. */
    readonly successesPerSecond: number;
  };
  /** Undefined disables the metrics endpoint. */
  readonly metrics?: {
    readonly reader: (state: HttpState) => MetricsReader;
    readonly access: MetricsAccess;
  };
}

/** Creates the HTTP server with both APIs; it does not listen yet. */
export async function createHttpServer(services: Services, options: HttpOptions): Promise<FastifyInstance> {
  const { app, state, work } = createBareServer(options, services.telemetry, services.usage);
  const routes = recordRoutes(app);
  registerHealthRoutes(app, services, options.isShuttingDown);
  const { metrics } = options;
  if (metrics) registerMetricsRoute(app, metrics.reader(state), metrics.access);
  registerRestRoutes(app, services);
  registerSchemaRoutes(app, options.version);
  if (options.securityContact !== undefined) registerSecurityContact(app, options.securityContact);
  const pages = await registerPages(app, services, { ...options, notFound: routes.notFound });
  app.setNotFoundHandler(pages.serveNotFound);
  await app.register((scope) => registerGraphql(scope, services, { ...options, ...pages, work }), {
    prefix: GRAPHQL_PATH,
  });
  routes.rejectOtherMethods();
  return app;
}

/** Creates an HTTP server without routes: body parsing, error handling, logging and shutdown. */
export function createBareServer(
  {
    log,
    trustedProxies = [],
    connectionLimits = DEFAULT_CONNECTION_LIMITS,
    requestTimeoutMs = Number.POSITIVE_INFINITY,
  }: Pick<HttpOptions, "log"> & Partial<HttpOptions>,
  { metrics, tracing }: Telemetry = countOnly(),
  usage?: Usage,
): { readonly app: FastifyInstance; readonly state: HttpState; readonly work: Work } {
  const answerBroken = brokenRequestHandler((socket) => connections.repliesOf(socket), metrics);
  const app = Fastify({
    logger: {
      level: log.level,
      stream: { write: (line: string) => log.stream.write(redactSecrets(line)) },
      base: null,
      // Add the trace IDs to log lines of traced requests.
      ...(tracing ? { mixin: () => idsOf(recordedSpan()) } : {}),
    },
    // A child logger per request would cost more than the log lines themselves.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "requestId" }),
    genReqId: requestId,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    requestTimeout: connectionLimits.receiveTimeoutMs,
    // Routes that accept larger bodies set their own limit.
    bodyLimit: SMALL_BODY_LIMIT,
    http: {
      IncomingMessage: HttpMessage,
      // Must not exceed requestTimeout: Node 20 would otherwise swap the two.
      headersTimeout: connectionLimits.receiveTimeoutMs,
      connectionsCheckingInterval: Math.ceil(connectionLimits.receiveTimeoutMs / TIMEOUT_CHECKS),
      // Node would reply to a missing Host header itself, without a body.
      requireHostHeader: false,
    },
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    frameworkErrors: (_error, request, reply) => {
      // Hooks do not run for paths that cannot be decoded.
      setCommonHeaders(request, reply);
      const { method, id } = request;
      app.log.info({ requestId: id, method, status: 404 }, "request with a path that cannot be decoded");
      sendError(notFound(), request, reply);
    },
    clientErrorHandler: answerBroken,
  });
  const connections = new Connections(app, connectionLimits, trustedProxies, metrics);
  // HTTP allows servers to ignore unknown expectations; Node would reply without a body.
  app.server.on("checkExpectation", (request, reply) => app.server.emit("request", request, reply));
  app.server.on("connect", (request, socket) => {
    if (!(socket instanceof Socket)) return;
    // Node handles these events no longer: replies to earlier requests wait for the first, and the second would end the process.
    socket.on("drain", () => connections.repliesOf(socket)[0]?.emit("drain"));
    socket.on("error", () => socket.destroy());
    if (request instanceof HttpMessage && request.isTooMany) connections.endFull(socket);
    // Node would close the connection without a reply.
    else answerBroken(new Error("CONNECT is not supported."), socket);
  });
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: false });
  }
  // The REST API accepts GET with a body.
  app.addHttpMethod("GET", { hasBody: true, overrideExisting: true });
  const work = {
    limit: new WorkLimit(connectionLimits.maxRequestsInProgress, metrics),
    turns: new EventLoopTurns(),
  };
  superviseRequests(app, {
    work,
    metrics,
    usage,
    tracing,
    timeoutMs: requestTimeoutMs,
    maxEventLoopDelayMs: connectionLimits.maxEventLoopDelayMs,
    trustsProxies: trustedProxies.length > 0,
    successesPerSecond: log.successesPerSecond,
    sendError,
  });
  const bodyBytes = acceptBodies(app, connectionLimits.maxBodyBytes, work.turns, metrics);
  const unsent = new UnsentBytes(connections, connectionLimits, metrics);
  unsent.register(app);
  app.setErrorHandler((error, request, reply) => {
    const { bodyLimit = SMALL_BODY_LIMIT } = request.routeOptions;
    sendError(toDomainError(error, bodyLimit), request, reply);
  });
  return {
    app,
    state: {
      requestsInProgress: () => connections.requestsInProgress,
      connections: () => connections.size,
      unsentBytes: () => unsent.total,
      bodyBytes,
    },
    work,
  };

  function sendError(error: DomainError, request: FastifyRequest, reply: FastifyReply): void {
    const { id, url } = request;
    if (!HEALTH_CHECKS.has(url)) {
      if (error.code === "internal")
        app.log.error({ requestId: id, err: error.cause ?? error }, "request failed");
      if (error.code === "unavailable")
        app.log.warn({ requestId: id, reason: reasonOf(error) }, "request not served");
    }
    request.errorCode = error.code;
    const isGraphql = request.routeOptions.url === GRAPHQL_PATH;
    metrics.errors.inc({ api: isGraphql ? "graphql" : "rest", code: error.code });
    const render = isGraphql ? renderGraphqlError : renderError;
    const { status, headers, body } = render(error, id);
    if (error.code === "unsupported_media_type" && request.routeOptions.config.takesMergePatch)
      reply.header("accept-patch", MERGE_PATCH_TYPE);
    void reply.code(status).headers(headers).send(body);
  }
}

/**
 * Converts an error of request handling to a DomainError; `internal` for unexpected errors.
 * @param bodyLimit maximum body size in bytes, for the message
 */
function toDomainError(cause: unknown, bodyLimit: number): DomainError {
  if (cause instanceof DomainError) return cause;
  // The HTTP status of a Fastify error (code FST_…) or of a broken request stream.
  switch (cause instanceof Error && "statusCode" in cause ? cause.statusCode : undefined) {
    case 400:
      return new DomainError("bad_request", "The request could not be read.", { cause });
    // @fastify/static returns 403 for paths that are not in normal form.
    case 403:
    case 404:
      return notFound();
    case 413: {
      const message = `The body is larger than ${bodyLimit} bytes.`;
      return new DomainError("payload_too_large", message, { details: { limit: bodyLimit }, cause });
    }
    case 415:
      return new DomainError("unsupported_media_type", "The Content-Type header is not valid.", { cause });
    default:
      return internalError(cause);
  }
}

/**
 * A request. Only those for a WebSocket on the GraphQL path are upgraded. Once a server handles upgrades, Node would hand it every request
 * with an Upgrade header, without the body: those of Java's HTTP client and of `curl --http2`, which offer `h2c`, would not be served.
 *
 * A request of a full connection becomes a tunnel, which ends the connection: only then does Node not parse the rest of what it has read,
 * which may be thousands of requests.
 */
class HttpMessage extends IncomingMessage {
  readonly isTooMany = FULL_CONNECTIONS.has(this.socket);
  /** As parsed by Node. */
  requestsUpgrade = false;

  // Node assigns and reads this property. Its own filter, `shouldUpgradeCallback`, is missing in Node 20.
  set upgrade(value: unknown) {
    this.requestsUpgrade = value === true;
  }

  get upgrade(): boolean {
    if (this.isTooMany) this.method = "CONNECT";
    return this.isTooMany || (this.requestsUpgrade && (this.method === "CONNECT" || isWebSocket(this)));
  }
}

function isWebSocket({ method, url = "", headers }: IncomingMessage): boolean {
  const path = url.split("?", 1)[0];
  if (method !== "GET" || path !== GRAPHQL_PATH || headers.upgrade?.toLowerCase() !== "websocket")
    return false;
  // Node does not parse the body of an upgraded request: the route would wait for it forever.
  return headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
}
