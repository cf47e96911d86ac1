import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type Deadline, deadlineExceeded } from "../../domain/shared/deadline.js";
import type { DomainError } from "../../domain/shared/errors.js";

/** How often requests are checked: one timer for all of them, as one for each would cost every request. */
const CHECK_MS = 100;

class RequestDeadline implements Deadline {
  isOver = false;
  /** How long the service waited for the rest of the body, in milliseconds. */
  receivingMs = 0;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.request = request;
    this.reply = reply;
  }
}

/**
 * Answers each request that takes too long, whatever it waits for; the time in which its client sends the body does not count. An event
 * stream, or a reply that has begun, is left alone. The work behind the request stops at its next statement (`Tenant.deadline`).
 * @param timeoutMs how long a request may take
 * @param answer sends the error
 */
export function limitRequests(
  app: FastifyInstance,
  timeoutMs: number,
  answer: (error: DomainError, request: FastifyRequest, reply: FastifyReply) => void,
): void {
  const open = new Set<RequestDeadline>();
  // Fastify would log what becomes of an answered request as an error of its handler.
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

/** Whether the service is reading the body, and the client has not sent all of it. */
function isReceiving({ raw }: FastifyRequest): boolean {
  return !raw.complete && raw.readableFlowing !== null;
}
