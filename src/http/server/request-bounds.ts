import { getHeapStatistics } from "node:v8";
import underPressure from "@fastify/under-pressure";
import type { FastifyInstance } from "fastify";
import { DomainError } from "../../domain/shared/errors.js";
import type { WorkQueue } from "../../services/requests/work-queue.js";
import type { Metrics } from "../../telemetry/metrics.js";
import type { Connections } from "./connections.js";
import { isProbe } from "./request-facts.js";

/** Mean delay of the event loop above which requests are shed. */
const MAX_EVENT_LOOP_DELAY_MS = 1_000;
/** Time between measurements. An interval in which the event loop hardly turned counts as overload, so it is longer than a start. */
const MEASUREMENT_INTERVAL_MS = 5_000;
/** Share of the heap limit above which requests are shed. */
const MAX_HEAP_SHARE = 0.9;
const RETRY_AFTER_S = MEASUREMENT_INTERVAL_MS / 1_000;

/**
 * Bounds the requests in progress (decision 20): those of one connection run one after the other, and beyond the limits of `work` or
 * under pressure on the event loop or the heap, requests get 503 before any work. Health checks and metrics are exempt.
 */
export function boundRequests(
  app: FastifyInstance,
  connections: Connections,
  work: WorkQueue,
  { shedRequests }: Pick<Metrics, "shedRequests">,
): void {
  app.addHook("onRequest", (request, reply, done) => {
    const { socket } = request.raw;
    const connection = connections.of(socket);
    // Upgraded connections, which have limits of their own, have no reply.
    const position = connection?.replies.indexOf(reply.raw) ?? -1;
    if (!connection || position < 0 || isProbe(request)) {
      done();
      return;
    }
    try {
      request.endWork = work.admit(request.ip);
    } catch (error) {
      // An error per pipelined request would have to be kept until the earlier ones are answered.
      if (connection.replies.slice(0, position).some((earlier) => !earlier.writableEnded)) {
        connections.discard(connection);
        reply.hijack();
      } else done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    const end = request.endWork;
    reply.raw.once("close", end);
    if (position === 0) done();
    else connections.park(connection, reply.raw, { start: done, end });
  });
  void app.register(underPressure, {
    sampleInterval: MEASUREMENT_INTERVAL_MS,
    maxEventLoopDelay: MAX_EVENT_LOOP_DELAY_MS,
    maxHeapUsedBytes: getHeapStatistics().heap_size_limit * MAX_HEAP_SHARE,
    pressureHandler(request, _reply, type) {
      if (isProbe(request)) return;
      shedRequests.inc({ limit: type === underPressure.TYPE_HEAP_USED_BYTES ? "heap" : "event_loop" });
      throw new DomainError("unavailable", "The service is overloaded. Try again later.", {
        retryAfter: RETRY_AFTER_S,
      });
    },
  });
}
