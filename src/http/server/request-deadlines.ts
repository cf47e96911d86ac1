import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Deadline, deadlineExceeded } from "../../domain/shared/deadline.js";
import type { DomainError } from "../../domain/shared/errors.js";
import type { Metrics } from "../../telemetry/metrics.js";

export interface RequestDeadline extends Deadline {
  isOver: boolean;
  /** Milliseconds that the service has waited for the body. */
  receivingMs: number;
}

export interface DeadlineOptions {
  /** Request timeout in milliseconds. Event streams and replies that have started are exempt. */
  readonly timeoutMs: number;
  /** Sends an error as the reply to a request. */
  readonly sendError: (error: DomainError, request: FastifyRequest, reply: FastifyReply) => void;
  readonly metrics: Metrics;
}

/** Interval of the deadline check: one timer for all requests, because a timer per request would cost every request. */
const CHECK_MS = 100;

/**
 * Replies with an error to requests that take too long; time spent receiving the body is not counted. The work of the request stops
 * before its next statement (`Tenant.deadline`).
 * @returns the requests with a deadline
 */
export function enforceDeadlines(
  app: FastifyInstance,
  { timeoutMs, sendError, metrics }: DeadlineOptions,
): Map<FastifyRequest, FastifyReply> {
  const open = new Map<FastifyRequest, FastifyReply>();
  // Otherwise Fastify logs the late result of a request that was already answered as a handler error.
  const silent = app.log.child({}, { level: "silent" });
  let checkedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    for (const [request, reply] of open) check(request, reply, now - checkedAt);
    checkedAt = now;
  }, CHECK_MS);
  timer.unref();
  app.addHook("onClose", async () => clearInterval(timer));
  return open;

  function check(request: FastifyRequest, reply: FastifyReply, passedMs: number): void {
    const { deadline, raw } = request;
    if (!deadline || request.isStream || reply.sent || reply.raw.headersSent || reply.raw.destroyed) {
      open.delete(request);
      return;
    }
    // The service is reading the body, and the client has not sent all of it.
    if (!raw.complete && raw.readableFlowing !== null)
      deadline.receivingMs += Math.min(passedMs, reply.elapsedTime);
    if (reply.elapsedTime - deadline.receivingMs < timeoutMs) return;
    open.delete(request);
    deadline.isOver = true;
    reply.log = silent;
    metrics.requestTimeouts.inc();
    sendError(deadlineExceeded(), request, reply);
  }
}
