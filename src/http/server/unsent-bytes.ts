import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { DomainError } from "../../domain/shared/errors.js";
import { isObject } from "../../domain/shared/json.js";
import type { Metrics } from "../../telemetry/metrics.js";
import type { ConnectionLimits } from "./connection-limits.js";
import type { Connection, Connections } from "./connections.js";

/** In how many sweeps a peer that takes nothing is noticed. */
const SWEEPS_UNTIL_STALLED = 15;
/** After how many a connection may be ended when the budget is exceeded: in the first its peer may not have had the time to read. */
const SWEEPS_UNTIL_EXPENDABLE = 2;
/** Smaller replies are counted by the sweeps only. */
const LARGE_REPLY = 64 * 1024;
const RETRY_AFTER_S = 5;

type Limits = Pick<ConnectionLimits, "stallTimeoutMs" | "maxUnsentBytes">;

/**
 * Bounds what the process holds of replies that peers do not read. Sweeps over all connections end those whose peer has taken nothing
 * for too long and, beyond the budget, those that have waited longest. Between them only large replies are counted.
 */
export class UnsentBytes {
  readonly #connections: Connections;
  readonly #limits: Limits;
  readonly #metrics: Pick<Metrics, "endedConnections" | "budgetRefusals">;
  /** After the last sweep, and of large replies since then. */
  #estimate = 0;

  constructor(
    connections: Connections,
    limits: Limits,
    metrics: Pick<Metrics, "endedConnections" | "budgetRefusals">,
  ) {
    this.#connections = connections;
    this.#limits = limits;
    this.#metrics = metrics;
  }

  /** How many bytes there are. */
  get total(): number {
    let total = 0;
    for (const connection of this.#connections) total += unsentOf(connection);
    return total;
  }

  /** Holds a server's replies to the budget, and sweeps for as long as it is open. */
  watch(app: FastifyInstance): void {
    // A regular sweep counts, and not the time: while the event loop is blocked no peer can be seen to read.
    const timer = setInterval(() => this.#sweep(0, 1), this.#limits.stallTimeoutMs / SWEEPS_UNTIL_STALLED);
    timer.unref();
    app.addHook("onClose", async () => clearInterval(timer));
    app.addHook("onSend", (request, reply, payload, done) => {
      if (!isLarge(payload) || reply.statusCode >= 400) {
        done(null, payload);
        return;
      }
      try {
        this.#makeRoom(payload.length, request.hasWritten === true);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      // Bytes are written as they are, a string would be copied twice more.
      done(null, Buffer.isBuffer(payload) ? payload : Buffer.from(payload));
    });
  }

  /**
   * Makes room for a large reply, and counts it.
   * @param hasWritten that to something which has happened goes out all the same: a client that is refused would try again
   * @throws DomainError where there is no room
   */
  #makeRoom(bytes: number, hasWritten: boolean): void {
    if (this.#estimate + bytes > this.#limits.maxUnsentBytes) this.#sweep(bytes, 0);
    if (this.#estimate + bytes > this.#limits.maxUnsentBytes && !hasWritten) {
      this.#metrics.budgetRefusals.of("unsent").value += 1;
      throw new DomainError("unavailable", "Too many large replies wait to be read. Try again later.", {
        retryAfter: RETRY_AFTER_S,
      });
    }
    this.#estimate += bytes;
  }

  /**
   * @param wanted bytes for which there should be room afterwards
   * @param sweeps 1 for a regular sweep, 0 for one between them
   */
  #sweep(wanted: number, sweeps: 0 | 1): void {
    let total = 0;
    const expendable: Connection[] = [];
    for (const connection of this.#connections) {
      const { sending } = connection;
      observe(connection, sweeps);
      if (sending.stalledSweeps >= SWEEPS_UNTIL_STALLED) {
        this.#end(connection, "stalled");
      } else {
        total += sending.unsent;
        if (sending.stalledSweeps >= SWEEPS_UNTIL_EXPENDABLE) expendable.push(connection);
      }
    }
    if (total + wanted > this.#limits.maxUnsentBytes) {
      expendable.sort((one, other) => other.sending.stalledSweeps - one.sending.stalledSweeps);
      for (const connection of expendable) {
        if (total + wanted <= this.#limits.maxUnsentBytes) break;
        total -= connection.sending.unsent;
        this.#end(connection, "unsent_budget");
      }
    }
    this.#estimate = total;
  }

  #end({ socket }: Connection, reason: "stalled" | "unsent_budget"): void {
    this.#metrics.endedConnections.of(reason).value += 1;
    // Reset, so that the kernel drops its part of the reply as well.
    socket.resetAndDestroy();
  }
}

function observe(connection: Connection, sweeps: 0 | 1): void {
  const { sending, socket } = connection;
  const waiting = socket.writableLength;
  const queued = waiting === 0 ? 0 : writeQueueSize(socket);
  const hasRead = waiting === 0 || waiting < sending.waiting || queued !== sending.queued;
  sending.stalledSweeps = hasRead ? 0 : sending.stalledSweeps + sweeps;
  sending.unsent = unsentOf(connection);
  sending.waiting = waiting;
  sending.queued = queued;
}

/** Bytes that the process holds for a connection: what its socket has not written, and replies that wait for the one before them. */
function unsentOf({ socket, replies }: Connection): number {
  let bytes = socket.writableLength;
  if (replies.length > 1) {
    for (const reply of replies) if (reply.socket === null) bytes += reply.writableLength;
  }
  return bytes;
}

/**
 * Bytes of the write under way that the kernel has not taken. A socket counts a write until all of it is taken, which may be minutes
 * for a reply of some megabytes; only its handle, which has no public name (Node 20 to 24), shows what is left.
 */
function writeQueueSize(socket: Socket): number {
  const handle: unknown = "_handle" in socket ? socket._handle : undefined;
  if (!isObject(handle)) return 0;
  const { writeQueueSize: size } = handle;
  return typeof size === "number" ? size : 0;
}

function isLarge(payload: unknown): payload is string | Buffer {
  return (typeof payload === "string" || Buffer.isBuffer(payload)) && payload.length >= LARGE_REPLY;
}
