import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { getHeapStatistics } from "node:v8";
import underPressure from "@fastify/under-pressure";
import type { Span, Tracer } from "@opentelemetry/api";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Tenant } from "../../domain/accounts/caller.js";
import { DomainError } from "../../domain/shared/errors.js";
import { redactSecrets } from "../../domain/shared/redaction.js";
import type { Usage } from "../../services/accounts/usage.js";
import type { EventLoopTurns } from "../../services/requests/event-loop-turns.js";
import type { Work } from "../../services/requests/work-limit.js";
import { labelsOf } from "../../telemetry/metrics.js";
import { idsOf } from "../../telemetry/tracing.js";
import { COMMON_HEADERS } from "./raw-reply.js";
import { type DeadlineOptions, enforceDeadlines, type RequestDeadline } from "./request-deadlines.js";
import { runIn, traceRequest } from "./request-tracing.js";

// Optional properties: decorateRequest would initialize each of them on every request, which takes longer than reading missing ones.
declare module "fastify" {
  interface FastifyRequest {
    /** The authenticated tenant, set by the API that checks the credentials; null without credentials. */
    tenant?: (Tenant & { readonly keyId?: number }) | null;
    deadline?: RequestDeadline;
    /** The turn of the event loop in which it last started or continued (`EventLoopTurns.current`). */
    startedIn?: number;
    /** Ends the request's share of the work in progress, at the latest when the reply has been sent. */
    endWork?: () => void;
    /** The error code of the reply; of a GraphQL reply with status 200, that of its first error. */
    errorCode?: string | undefined;
    /** Whether the reply is an event stream, which has no deadline. */
    isStream?: boolean;
    /** Whether the request may have changed data, so that its reply must not be replaced by an error. */
    hasWritten?: boolean;
    /** The trace span of the request. */
    span?: Span;
  }
}

export interface RequestOptions extends DeadlineOptions {
  readonly work: Work;
  /** Counts the requests with valid credentials. */
  readonly usage: Pick<Usage, "recordCall"> | undefined;
  readonly tracing: Tracer | undefined;
  /** Mean delay of the event loop above which requests are shed; 0 for any. */
  readonly maxEventLoopDelayMs: number;
  /** Whether any proxy is trusted. */
  readonly trustsProxies: boolean;
  /** Maximum log lines per second for successful requests; 0 logs none. */
  readonly successesPerSecond: number;
}

/** Health checks are not logged; changes of the state are. */
export const HEALTH_CHECKS: ReadonlySet<string> = new Set(["/livez", "/readyz"]);
/** Paths that are polled by monitoring: they are not bounded, only failures are logged, and nothing is traced. */
const PROBES: ReadonlySet<string> = new Set([...HEALTH_CHECKS, "/metrics"]);

/** IDs that are safe in headers and logs. */
const SAFE_ID = /^[\w.:/+=-]{1,128}$/;
const MS_PER_S = 1000;

/** Time between measurements. An interval in which the event loop hardly turned counts as overload, so it is longer than a start. */
const MEASUREMENT_INTERVAL_MS = 5_000;
/** Share of the heap limit above which requests are shed. */
const MAX_HEAP_SHARE = 0.9;

/** Returns the client's `X-Request-Id` if it is safe, otherwise a new ID. */
export function requestId({ headers }: IncomingMessage): string {
  const received = headers["x-request-id"];
  const isSafe =
    typeof received === "string" && SAFE_ID.test(received) && redactSecrets(received) === received;
  return isSafe ? received : randomUUID();
}

/** Sets the headers of all replies (decision 11). */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(COMMON_HEADERS).header("x-request-id", request.id);
}

/**
 * Does for every request what does not depend on its route: the common headers, the bound on work in progress and its queue
 * (decision 36), the deadline, a trace span, the log line and metrics.
 */
export function superviseRequests(app: FastifyInstance, options: RequestOptions): void {
  const { work, metrics, tracing, usage } = options;
  const deadlines = enforceDeadlines(app, options);
  const logReply = replyLogger(app, options.successesPerSecond);
  let shouldReportProxy = !options.trustsProxies;

  app.addHook("onRequest", (request, reply, done) => {
    const { headers, raw, url } = request;
    setCommonHeaders(request, reply);
    if (shouldReportProxy && (headers["x-forwarded-for"] ?? headers.forwarded) !== undefined) {
      shouldReportProxy = false;
      warnAboutUntrustedProxy(request);
    }
    try {
      requireSingleHeaders(raw);
      if (!PROBES.has(url)) {
        request.endWork = work.limit.admit(request.ip);
        reply.raw.on("close", request.endWork);
      }
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    request.deadline = { isOver: false, receivingMs: 0 };
    deadlines.set(request, reply);
    if (tracing && !PROBES.has(url))
      traceRequest(tracing, request, reply, () => continueInTurn(work.turns, request, reply, done));
    else continueInTurn(work.turns, request, reply, done);
  });
  if (tracing) {
    // Restore the span context, which is lost while Node reads the body.
    app.addHook("preValidation", (request, _reply, done) => {
      if (request.span) runIn(request.span, done);
      else done();
    });
  }
  app.addHook("onResponse", (request, reply, done) => {
    done();
    deadlines.delete(request);
    const { url } = request;
    const { statusCode: status, elapsedTime } = reply;
    // The duration of an event stream says nothing about latency, and it was counted when it started.
    if (!request.isStream) {
      usage?.recordCall(request, status >= 400 || request.errorCode !== undefined);
      metrics.replies.observe({ ...labelsOf(request), status }, elapsedTime / MS_PER_S);
    }
    if (!HEALTH_CHECKS.has(url) && (status >= 400 || !PROBES.has(url))) logReply(request, reply);
  });
  shedUnderPressure(app, options);
}

/** Continues a request when it is its turn, unless it was answered at its deadline or abandoned until then. */
export function continueInTurn(
  turns: EventLoopTurns,
  request: FastifyRequest,
  reply: FastifyReply,
  proceed: () => void,
): void {
  const turn = turns.wait(request, HEALTH_CHECKS.has(request.url));
  request.startedIn = turns.current;
  if (turn === undefined) {
    proceed();
    return;
  }
  void turn.then(() => {
    if (reply.sent || reply.raw.destroyed) return;
    request.startedIn = turns.current;
    proceed();
  });
}

/**
 * Rejects requests with several Host or Authorization headers, and, as HTTP requires, those without a Host: a proxy could evaluate
 * a different one than this service does (request smuggling).
 */
function requireSingleHeaders({ rawHeaders, httpVersion }: IncomingMessage): void {
  let hosts = 0;
  let authorizations = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
    if (name.length === 13 && name.toLowerCase() === "authorization") authorizations += 1;
  }
  if (hosts !== 1 && !(hosts === 0 && httpVersion !== "1.1"))
    throw new DomainError("bad_request", "The request must have one Host header.");
  if (authorizations > 1)
    throw new DomainError("bad_request", "The request must have at most one Authorization header.");
}

/**
 * Warns that a request has a proxy header but no proxy is trusted: limits then treat all clients as one. The header does not prove that
 * there is a proxy, because any client can send it.
 */
function warnAboutUntrustedProxy({ log, socket }: FastifyRequest): void {
  log.warn(
    { address: socket.remoteAddress },
    "received X-Forwarded-For or Forwarded, but TRUSTED_PROXIES is empty: if this address is a proxy, add it to TRUSTED_PROXIES; until then, all clients of the proxy share its per-address limits",
  );
}

/** Refuses requests under pressure on the event loop or the heap. Health checks and metrics are exempt. */
function shedUnderPressure(
  app: FastifyInstance,
  { maxEventLoopDelayMs, metrics: { shedRequests } }: RequestOptions,
): void {
  void app.register(underPressure, {
    sampleInterval: MEASUREMENT_INTERVAL_MS,
    maxEventLoopDelay: maxEventLoopDelayMs,
    maxHeapUsedBytes: getHeapStatistics().heap_size_limit * MAX_HEAP_SHARE,
    pressureHandler({ url }, _reply, type) {
      if (PROBES.has(url)) return;
      shedRequests.inc({ limit: type === underPressure.TYPE_HEAP_USED_BYTES ? "heap" : "event_loop" });
      throw new DomainError("unavailable", "The service is overloaded. Try again later.", {
        retryAfter: MEASUREMENT_INTERVAL_MS / MS_PER_S,
      });
    },
  });
}

/** Returns a function that logs a request. Successful ones are limited per second; the next line then has the number of skipped ones. */
function replyLogger(app: FastifyInstance, successesPerSecond: number) {
  let second = 0;
  let written = 0;
  let skipped = 0;
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const { statusCode: status, elapsedTime } = reply;
    if (status < 400) {
      const now = Math.floor(performance.now() / MS_PER_S);
      if (now !== second) written = 0;
      second = now;
      written += 1;
      if (written > successesPerSecond) {
        skipped += 1;
        return;
      }
    }
    const { method, url, tenant, span } = request;
    const line = {
      requestId: request.id,
      method,
      // The query string may contain secrets.
      path: url.split("?", 1)[0],
      route: request.routeOptions.url,
      status,
      code: request.errorCode,
      ms: Math.round(elapsedTime * 10) / 10,
      accountId: tenant?.accountId,
      keyId: tenant?.keyId,
      ...(span && idsOf(span)),
      ...(skipped > 0 ? { skipped } : {}),
    };
    app.log.info(line, "request");
    skipped = 0;
  };
}
