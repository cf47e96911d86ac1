import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { DomainError } from "../../domain/shared/errors.js";
import { isObject } from "../../domain/shared/json.js";
import type { Metrics } from "../../telemetry/metrics.js";
import type { Connection, ConnectionLimits, Connections } from "./connections.js";

/** Sweeps without progress after which a peer is considered stalled. */
const SWEEPS_UNTIL_STALLED = 15;
/** Sweeps after which a connection may be closed if the budget is exceeded: in the first one, the peer may not have had time to read. */
const SWEEPS_UNTIL_EXPENDABLE = 2;
/** Minimum size of replies that are counted between sweeps. */
const LARGE_REPLY_BYTES = 64 * 1024;
const RETRY_AFTER_S = 5;

type Limits = Pick<ConnectionLimits, "stallTimeoutMs" | "maxUnsentBytes">;

/**
 * Limits the memory for replies that peers do not read. Sweeps over all connections close those whose peer has read nothing for too
 * long and, beyond the budget, those that have stalled for longest. Between sweeps only large replies are counted.
 */
export class UnsentBytes {
  /** Unsent bytes at the last sweep plus large replies since then. */
  #estimate = 0;

  constructor(
    private readonly connections: Connections,
    private readonly limits: Limits,
    private readonly metrics: Pick<Metrics, "endedConnections" | "shedRequests">,
  ) {}

  /** Bytes currently held. */
  get total(): number {
    let total = 0;
    for (const { socket } of this.connections) total += socket.writableLength;
    return total;
  }

  /** Enforces the budget for the replies of a server, and sweeps while it is open. */
  register(app: FastifyInstance): void {
    // Stalls are counted in sweeps rather than time: while the event loop is blocked, no peer can be seen to read.
    const timer = setInterval(() => this.#sweep(0, 1), this.limits.stallTimeoutMs / SWEEPS_UNTIL_STALLED);
    timer.unref();
    app.addHook("onClose", async () => clearInterval(timer));
    app.addHook("onSend", (request, reply, payload, done) => {
      const isText = typeof payload === "string" || Buffer.isBuffer(payload);
      if (!isText || payload.length < LARGE_REPLY_BYTES || reply.statusCode >= 400) {
        done(null, payload);
        return;
      }
      try {
        this.#makeRoom(payload.length, request.hasWritten === true);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      // A string would be copied twice more than a buffer.
      done(null, Buffer.isBuffer(payload) ? payload : Buffer.from(payload));
    });
  }

  /**
   * Reserves room for a large reply.
   * @param hasWritten the request changed data: its reply is sent regardless, because a rejected client would retry
   * @throws DomainError if there is no room
   */
  #makeRoom(bytes: number, hasWritten: boolean): void {
    if (this.#estimate + bytes > this.limits.maxUnsentBytes) this.#sweep(bytes, 0);
    if (this.#estimate + bytes > this.limits.maxUnsentBytes && !hasWritten) {
      this.metrics.shedRequests.inc({ limit: "unsent" });
      const message = "Too many large replies are waiting to be read. Try again later.";
      throw new DomainError("unavailable", message, { retryAfter: RETRY_AFTER_S });
    }
    this.#estimate += bytes;
  }

  /**
   * @param wanted bytes that should be available afterwards
   * @param sweeps 1 for a regular sweep, 0 for one in between
   */
  #sweep(wanted: number, sweeps: 0 | 1): void {
    let total = 0;
    const expendable: Connection[] = [];
    for (const connection of this.connections) {
      const { sending } = connection;
      observe(connection, sweeps);
      if (sending.stalledSweeps >= SWEEPS_UNTIL_STALLED) {
        this.#end(connection, "stalled");
      } else {
        total += sending.unsent;
        if (sending.stalledSweeps >= SWEEPS_UNTIL_EXPENDABLE) expendable.push(connection);
      }
    }
    if (total + wanted > this.limits.maxUnsentBytes) {
      expendable.sort((one, other) => other.sending.stalledSweeps - one.sending.stalledSweeps);
      for (const connection of expendable) {
        if (total + wanted <= this.limits.maxUnsentBytes) break;
        total -= connection.sending.unsent;
        this.#end(connection, "unsent_budget");
      }
    }
    this.#estimate = total;
  }

  #end({ socket }: Connection, reason: "stalled" | "unsent_budget"): void {
    this.metrics.endedConnections.inc({ reason });
    // Reset the connection, so that the kernel also drops its part of the reply.
    socket.resetAndDestroy();
  }
}

function observe({ sending, socket }: Connection, sweeps: 0 | 1): void {
  const waiting = socket.writableLength;
  const queued = waiting === 0 ? 0 : writeQueueSize(socket);
  const hasRead = waiting === 0 || waiting < sending.unsent || queued !== sending.queued;
  sending.stalledSweeps = hasRead ? 0 : sending.stalledSweeps + sweeps;
  sending.unsent = waiting;
  sending.queued = queued;
}

/**
 * Returns the bytes of the current write that the kernel has not accepted. A socket counts a write until it is complete, which may take
 * minutes for a large reply. Only its internal handle (Node 20 to 24) shows the remaining bytes.
 */
function writeQueueSize(socket: Socket): number {
  const handle: unknown = "_handle" in socket ? socket._handle : undefined;
  if (!isObject(handle)) return 0;
  const { writeQueueSize: size } = handle;
  return typeof size === "number" ? size : 0;
}
