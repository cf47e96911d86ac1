import { METHODS } from "node:http";
import { Socket } from "node:net";
import Fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from "fastify";
import { DomainError, reasonOf } from "../domain/errors.js";
import { redactSecrets } from "../domain/redaction.js";
import type { Tally } from "../domain/telemetry/tally.js";
import { countOnly, type Telemetry } from "../domain/telemetry/telemetry.js";
import { renderGraphqlError } from "../graphql/error-format.js";
import { GRAPHQL_PATH, registerGraphql } from "../graphql/graphql-plugin.js";
import type { OperationLimits } from "../graphql/operation-limits.js";
import type { TrustedDocuments } from "../graphql/trusted-documents.js";
import { renderError } from "../rest/error-view.js";
import { registerUserRoutes } from "../rest/user-routes.js";
import type { Services } from "../services/services.js";
import { registerApiDocs } from "./api-docs.js";
import { brokenRequests } from "./broken-request.js";
import { registerConsole } from "./console.js";
import { drainOnClose } from "./draining.js";
import { toDomainError } from "./error-conversion.js";
import { registerHealthRoutes } from "./health-routes.js";
import { acceptJsonBodies } from "./json-body.js";
import { type MetricsAccess, type MetricsReader, registerMetricsRoute } from "./metrics-route.js";
import { registerPlayground } from "./playground.js";
import { countReplies } from "./reply-tally.js";
import { requestId } from "./request-id.js";
import { logReplies } from "./request-log.js";
import { traceRequests } from "./request-tracing.js";
import { registerSchemaRoutes } from "./schema-routes.js";
import { registerSiteConfigRoutes } from "./site-config-routes.js";

/** How long a client may take to send a request. */
const REQUEST_TIMEOUT_MS = 30_000;
const TIMEOUT_CHECK_MS = 5_000;

/** A name of 255 characters of up to 4 bytes, each of them percent-encoded. */
const MAX_PARAMETER_LENGTH = 255 * 4 * 3;

export interface HttpOptions {
  readonly corsOrigins: readonly string[] | "*";
  /** How often a GraphQL document is interpreted before it is compiled; Infinity compiles none. */
  readonly compileAfter: number;
  /** Whether documents that Apollo Server has run before are run without it. */
  readonly shortcut: boolean;
  readonly introspection: boolean;
  readonly playground: boolean;
  /** Whether `/api/docs` shows the REST API to a browser. */
  readonly apiDocs: boolean;
  /** Where the console was built; undefined: there is none. */
  readonly consoleDirectory: string | undefined;
  /** Whether the service is about to end, so that nobody new should come. */
  readonly isShuttingDown: () => boolean;
  /** The API key that the playground begins with, and the console offers, for those at this machine; none where it answers undefined. */
  readonly demoKey: () => string | undefined;
  readonly limits: OperationLimits;
  /** The addresses and networks of the proxies whose X-Forwarded-For tells the client's address. */
  readonly trustedProxies: readonly string[];
  /** The only documents that run; undefined: every document may. */
  readonly trustedDocuments: TrustedDocuments | undefined;
  readonly log: {
    readonly level: string;
    readonly stream: { write(line: string): void };
    /** How many lines about requests that succeeded there may be in a second. */
    readonly successesPerSecond: number;
  };
  /** Undefined: nobody can read metrics. */
  readonly metrics?: {
    /** @param requestsUnderWay tells how many there are */
    readonly reader: (requestsUnderWay: () => number) => MetricsReader;
    readonly access: MetricsAccess;
  };
}

/** Builds the HTTP server with both faces; it does not listen yet. */
export async function createHttpServer(services: Services, options: HttpOptions): Promise<FastifyInstance> {
  const { app, requestsUnderWay } = build(options.log, options.trustedProxies, services.telemetry);
  registerHealthRoutes(app, services, options.isShuttingDown);
  if (options.metrics) {
    const { reader, access } = options.metrics;
    registerMetricsRoute(app, reader(requestsUnderWay), access);
  }
  registerUserRoutes(app, services);
  registerSchemaRoutes(app);
  if (options.apiDocs) registerApiDocs(app);
  registerSiteConfigRoutes(app, services);
  const { consoleDirectory } = options;
  if (consoleDirectory !== undefined) registerConsole(app, consoleDirectory, options.demoKey);
  const explore = options.playground ? registerPlayground(app, options.demoKey) : undefined;
  await app.register((scope) => registerGraphql(scope, services, { ...options, explore }), {
    prefix: GRAPHQL_PATH,
  });
  return app;
}

/** Builds the HTTP server without a route: how it reads bodies, answers errors, logs and ends. */
export function createBareServer(
  log: HttpOptions["log"],
  trustedProxies: readonly string[] = [],
): FastifyInstance {
  return build(log, trustedProxies, countOnly()).app;
}

function build(
  log: HttpOptions["log"],
  trustedProxies: readonly string[],
  { tally, tracing }: Telemetry,
): { readonly app: FastifyInstance; readonly requestsUnderWay: () => number } {
  const broken = brokenRequests(tally);
  const app = Fastify({
    logger: {
      level: log.level,
      stream: { write: (line: string) => log.stream.write(redactSecrets(line)) },
      base: null,
      // What is logged while a request is traced tells in which trace.
      ...(tracing ? { mixin: () => tracing.current()?.ids ?? {} } : {}),
    },
    // A logger of its own for each request would cost more than what it writes.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: "requestId" }),
    genReqId: requestId,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    requestTimeout: REQUEST_TIMEOUT_MS,
    // Node would answer a missing Host by itself, without a body.
    http: { connectionsCheckingInterval: TIMEOUT_CHECK_MS, requireHostHeader: false },
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    frameworkErrors: (_error, request, reply) => {
      // No hook runs for a path that cannot be decoded.
      setCommonHeaders(request, reply);
      const { method, id } = request;
      app.log.info({ requestId: id, method, status: 404 }, "request with a path that cannot be decoded");
      sendError(new DomainError("not_found", "There is nothing at this path."), request, reply, tally);
    },
    clientErrorHandler: broken.answer,
  });
  broken.watch(app.server);
  // HTTP lets a server ignore an expectation that it does not know; Node would answer without a body.
  app.server.on("checkExpectation", (request, reply) => app.server.emit("request", request, reply));
  // Node would close the connection without an answer.
  app.server.on("connect", (_request, socket) => {
    if (socket instanceof Socket) broken.answer(new Error("CONNECT has no meaning here."), socket);
  });
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: false });
  }
  // The interface sends GET with a body.
  app.addHttpMethod("GET", { hasBody: true, overrideExisting: true });
  acceptJsonBodies(app);
  addCommonHeaders(app);
  if (tracing) traceRequests(app, tracing);
  requireOneHost(app);
  logReplies(app, log.successesPerSecond);
  countReplies(app, tally);
  const requestsUnderWay = drainOnClose(app, tally);
  app.setErrorHandler((error, request, reply) => {
    const { bodyLimit = app.initialConfig.bodyLimit ?? 0 } = request.routeOptions;
    sendError(toDomainError(error, bodyLimit), request, reply, tally);
  });
  app.setNotFoundHandler(() => {
    throw new DomainError("not_found", "There is nothing at this path.");
  });
  return { app, requestsUnderWay };
}

function sendError(error: DomainError, request: FastifyRequest, reply: FastifyReply, tally: Tally): void {
  const { id: requestId, log } = request;
  if (error.code === "internal") log.error({ requestId, err: error.cause ?? error }, "request failed");
  if (error.code === "unavailable") log.warn({ requestId, reason: reasonOf(error) }, "request not served");
  request.errorCode = error.code;
  const isGraphql = request.routeOptions.url === GRAPHQL_PATH;
  tally.errors.of(isGraphql ? "graphql" : "rest", error.code).value += 1;
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

/** Decision 11. */
function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header("cache-control", "no-store").header("x-request-id", request.id);
}

/** As HTTP demands, so that no proxy takes a request for another host's than we do. */
function requireOneHost(app: FastifyInstance): void {
  app.addHook("onRequest", ({ raw }, _reply, done) => {
    const hosts = countHosts(raw.rawHeaders);
    if (hosts === 1 || (hosts === 0 && raw.httpVersion !== "1.1")) done();
    else done(new DomainError("bad_request", "The request must have one Host header."));
  });
}

/** @param headers names and values in turns */
function countHosts(headers: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index];
    if (name?.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count;
}
