// Must be imported first: TypeGraphQL's decorators need it.
import "reflect-metadata";
import { METHODS } from "node:http";
import { Socket } from "node:net";
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import { DomainError, reasonOf } from "../../domain/shared/errors.js";
import { redactSecrets } from "../../domain/shared/redaction.js";
import { SMALL_BODY_LIMIT } from "../../graphql/server/caller-identification.js";
import type { PersistedQueries } from "../../graphql/server/persisted-queries.js";
import { GRAPHQL_PATH, registerGraphql } from "../../graphql/server/plugin.js";
import { renderGraphqlError } from "../../graphql/shared/error-format.js";
import type { OperationLimits } from "../../graphql/shared/operation-limits.js";
import { renderError } from "../../rest/error-view.js";
import { rejectOtherMethods } from "../../rest/method-not-allowed.js";
import { registerRestRoutes } from "../../rest/routes.js";
import { WorkQueue } from "../../services/requests/work-queue.js";
import type { Services } from "../../services/services.js";
import type { Metrics } from "../../telemetry/metrics.js";
import { countOnly, type Telemetry } from "../../telemetry/telemetry.js";
import { idsOf, recordedSpan } from "../../telemetry/tracing.js";
import { notFound } from "../pages/not-found.js";
import { type PagesOptions, registerPages } from "../pages/pages.js";
import { registerSiteConfigRoutes } from "../site-configs/routes.js";
import { brokenRequests } from "./broken-request.js";
import { limitConnections } from "./connection-limiter.js";
import { type ConnectionLimits, DEFAULT_CONNECTION_LIMITS } from "./connection-limits.js";
import { Connections } from "./connections.js";
import { drainOnClose } from "./draining.js";
import { toDomainError } from "./error-conversion.js";
import { registerHealthRoutes } from "./health-routes.js";
import { HttpMessage } from "./http-message.js";
import { acceptJsonBodies } from "./json-body.js";
import { type MetricsAccess, type MetricsReader, registerMetricsRoute } from "./metrics-route.js";
import { warnAboutUntrustedProxy } from "./proxy-warning.js";
import { COMMON_HEADERS } from "./raw-reply.js";
import { countReplies } from "./reply-metrics.js";
import { limitBodies } from "./request-bodies.js";
import { boundRequests } from "./request-bounds.js";
import { limitRequests } from "./request-deadline.js";
import { isHealthCheck } from "./request-facts.js";
import { requestId } from "./request-id.js";
import { logReplies } from "./request-log.js";
import { traceRequests } from "./request-tracing.js";
import { registerSchemaRoutes, registerSecurityContact } from "./schema-routes.js";
import { requireSingleHeaders } from "./single-headers.js";
import { UnsentBytes } from "./unsent-bytes.js";

/** Number of timeout checks per request timeout. */
const TIMEOUT_CHECKS = 6;
/** 255 characters of up to 4 bytes, each percent-encoded. */
const MAX_PARAMETER_LENGTH = 255 * 4 * 3;

export interface HttpOptions extends PagesOptions {
  /** Service version. */
  readonly version: string;
  readonly corsOrigins: readonly string[] | "*";
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

/** Current state of the server, for metrics. */
export interface HttpState {
  requestsInProgress(): number;
  connections(): number;
  /** Bytes of replies that peers have not read. */
  unsentBytes(): number;
  /** Declared size of the large request bodies in progress. */
  bodyBytes(): number;
}

/** Creates the HTTP server with both APIs; it does not listen yet. */
export async function createHttpServer(services: Services, options: HttpOptions): Promise<FastifyInstance> {
  const { app, state, work } = build(options, services.telemetry);
  limitRequests(app, options.requestTimeoutMs, (error, request, reply) => {
    services.telemetry.metrics.requestTimeouts.inc();
    sendError(error, request, reply, services.telemetry.metrics);
  });
  const rejectOthers = rejectOtherMethods(app);
  registerHealthRoutes(app, services, options.isShuttingDown);
  const { metrics } = options;
  if (metrics) registerMetricsRoute(app, metrics.reader(state), metrics.access);
  registerRestRoutes(app, services);
  registerSchemaRoutes(app, options.version);
  if (options.securityContact !== undefined) registerSecurityContact(app, options.securityContact);
  registerSiteConfigRoutes(app, services);
  const pages = registerPages(app, services, options);
  app.setNotFoundHandler(pages.serveNotFound);
  await app.register((scope) => registerGraphql(scope, services, { ...options, ...pages, work }), {
    prefix: GRAPHQL_PATH,
  });
  rejectOthers();
  return app;
}

/** Creates an HTTP server without routes: body parsing, error handling, logging and shutdown. */
export function createBareServer(
  log: HttpOptions["log"],
  trustedProxies: readonly string[] = [],
): FastifyInstance {
  const { app } = build({ log, trustedProxies, connectionLimits: DEFAULT_CONNECTION_LIMITS }, countOnly());
  app.setNotFoundHandler(() => {
    throw notFound();
  });
  return app;
}

function build(
  { log, trustedProxies, connectionLimits }: Pick<HttpOptions, "log" | "trustedProxies" | "connectionLimits">,
  { metrics, tracing }: Telemetry,
): { readonly app: FastifyInstance; readonly state: HttpState; readonly work: WorkQueue } {
  const broken = brokenRequests(metrics);
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
      sendError(notFound(), request, reply, metrics);
    },
    clientErrorHandler: broken.answer,
  });
  broken.track(app.server);
  const connections = new Connections(app.server);
  limitConnections(app.server, connections, { ...connectionLimits, trustedProxies }, metrics);
  // HTTP allows servers to ignore unknown expectations; Node would reply without a body.
  app.server.on("checkExpectation", (request, reply) => app.server.emit("request", request, reply));
  // Node would close the connection without a reply.
  app.server.on("connect", (_request, socket) => {
    if (socket instanceof Socket) broken.answer(new Error("CONNECT is not supported."), socket);
  });
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: false });
  }
  // The REST API accepts GET with a body.
  app.addHttpMethod("GET", { hasBody: true, overrideExisting: true });
  const work = new WorkQueue(connectionLimits.maxRequestsInProgress, metrics);
  boundRequests(app, connections, work, metrics);
  const bodyBytes = limitBodies(app, connectionLimits.maxBodyBytes, metrics);
  acceptJsonBodies(app);
  addCommonHeaders(app);
  if (tracing) traceRequests(app, tracing);
  requireSingleHeaders(app);
  if (trustedProxies.length === 0) warnAboutUntrustedProxy(app);
  logReplies(app, log.successesPerSecond);
  countReplies(app, metrics);
  const requestsInProgress = drainOnClose(app, connections, metrics);
  const unsent = new UnsentBytes(connections, connectionLimits, metrics);
  unsent.register(app);
  app.setErrorHandler((error, request, reply) => {
    const { bodyLimit = app.initialConfig.bodyLimit ?? 0 } = request.routeOptions;
    sendError(toDomainError(error, bodyLimit), request, reply, metrics);
  });
  return {
    app,
    state: {
      requestsInProgress,
      connections: () => connections.size,
      unsentBytes: () => unsent.total,
      bodyBytes,
    },
    work,
  };
}

function sendError(error: DomainError, request: FastifyRequest, reply: FastifyReply, metrics: Metrics): void {
  const { id: requestId, log } = request;
  if (!isHealthCheck(request)) {
    if (error.code === "internal") log.error({ requestId, err: error.cause ?? error }, "request failed");
    if (error.code === "unavailable") log.warn({ requestId, reason: reasonOf(error) }, "request not served");
  }
  request.errorCode = error.code;
  const isGraphql = request.routeOptions.url === GRAPHQL_PATH;
  metrics.errors.inc({ api: isGraphql ? "graphql" : "rest", code: error.code });
  const render = isGraphql ? renderGraphqlError : renderError;
  const { status, headers, body } = render(error, request.id);
  void reply.code(status).headers(headers).send(body);
}

function addCommonHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    setCommonHeaders(request, reply);
    done();
  });
}

/** Sets the headers of all replies (decision 11). */
function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(COMMON_HEADERS).header("x-request-id", request.id);
}
