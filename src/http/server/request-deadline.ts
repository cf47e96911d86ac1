import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Deadline, deadlineExceeded } from "../../domain/shared/deadline.js";
import type { DomainError } from "../../domain/shared/errors.js";

/** Interval of the deadline check: one timer for all requests, because a timer per request would cost every request. */
const CHECK_MS = 100;

class RequestDeadline implements Deadline {
  isOver = false;
  /** Milliseconds that the service has waited for the body. */
  receivingMs = 0;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.request = request;
    this.reply = reply;
  }
}

/**
 * Replies with an error to requests that take too long; time spent receiving the body is not counted. Event streams and started
 * replies are exempt. The work of the request stops before its next statement (`Tenant.deadline`).
 * @param timeoutMs request timeout
 * @param answer sends the error
 */
export function limitRequests(
  app: FastifyInstance,
  timeoutMs: number,
  answer: (error: DomainError, request: FastifyRequest, reply: FastifyReply) => void,
): void {
  const open = new Set<RequestDeadline>();
  // Otherwise Fastify logs the late result of a request that was already answered as a handler error.
  const silent = app.log.child({}, { level: "silent" });
  let checkedAt = performance.now();

  app.addHook("onRequest", (request, reply, done) => {
    const deadline = new RequestDeadline(request, reply);
    request.deadline = deadline;
    open.add(deadline);
    done();
  });
  app.addHook("onResponse", (request, _reply, done) => {
    if (request.deadline instanceof RequestDeadline) open.delete(request.deadline);
    done();
  });
  const timer = setInterval(() => {
    const now = performance.now();
    const passedMs = now - checkedAt;
    checkedAt = now;
    for (const deadline of open) check(deadline, passedMs);
  }, CHECK_MS);
  timer.unref();
  app.addHook("onClose", async () => clearInterval(timer));

  function check(deadline: RequestDeadline, passedMs: number): void {
    const { request, reply } = deadline;
    if (request.isStream || reply.sent || reply.raw.headersSent || reply.raw.destroyed) {
      open.delete(deadline);
      return;
    }
    if (isReceiving(request)) deadline.receivingMs += Math.min(passedMs, reply.elapsedTime);
    if (reply.elapsedTime - deadline.receivingMs < timeoutMs) return;
    open.delete(deadline);
    deadline.isOver = true;
    reply.log = silent;
    answer(deadlineExceeded(), request, reply);
  }
}

/** Returns whether the service is reading the body and the client has not sent all of it. */
function isReceiving({ raw }: FastifyRequest): boolean {
  return !raw.complete && raw.readableFlowing !== null;
}
