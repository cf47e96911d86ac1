import type { IncomingMessage, ServerResponse } from "node:http";
import type { BlockList, Socket } from "node:net";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import { isListed, toAddressBlock, toBlockList } from "../../domain/requests/address-block.js";
import { DomainError } from "../../domain/shared/errors.js";
import { CountsByName } from "../../services/shared/counts-by-name.js";
import type { Metrics } from "../../telemetry/metrics.js";
import { sendRawReply } from "./raw-reply.js";

/** Limits on client connections per process. */
export interface ConnectionLimits {
  readonly maxConnections: number;
  /** Maximum connections per address; trusted proxies are exempt. */
  readonly maxConnectionsPerAddress: number;
  /** Timeout for receiving a request: its headers, and the headers with the body. */
  readonly receiveTimeoutMs: number;
  /** Timeout for a peer that reads nothing. */
  readonly stallTimeoutMs: number;
  /** Maximum bytes of replies that peers have not read. */
  readonly maxUnsentBytes: number;
  /** Maximum sum of the sizes of request bodies above 64 KiB. */
  readonly maxBodyBytes: number;
  /** Maximum requests and operations of WebSockets in progress; a client address may have half of them. */
  readonly maxRequestsInProgress: number;
  /** Mean delay of the event loop above which requests are shed; 0 for any. */
  readonly maxEventLoopDelayMs: number;
}

const MEGABYTE = 1024 * 1024;
/** Maximum requests of a connection that have arrived and are not answered. After as many, the connection ends with its last reply. */
const MAX_PIPELINED = 10;
/** Connections with as many requests in progress as they may have. */
export const FULL_CONNECTIONS = new WeakSet<Socket>();

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = {
  maxConnections: 10_000,
  maxConnectionsPerAddress: 2_500,
  receiveTimeoutMs: 30_000,
  stallTimeoutMs: 15_000,
  maxUnsentBytes: 64 * MEGABYTE,
  maxBodyBytes: 64 * MEGABYTE,
  maxRequestsInProgress: 2_000,
  maxEventLoopDelayMs: 1_000,
};

const RETRY_AFTER_S = 5;
/** Maximum refused connections that are kept open to read their reply; further ones are closed without one. */
const MAX_REFUSED_OPEN = 100;
const REFUSALS = {
  process: new DomainError("unavailable", "Too many connections are open. Try again later.", {
    retryAfter: RETRY_AFTER_S,
  }),
  address: new DomainError(
    "rate_limited",
    "Too many connections are open from this address. Close some, or send requests one after the other over the same connection.",
    { retryAfter: RETRY_AFTER_S },
  ),
} as const;

/** Maximum time for requests in progress after the server closes. */
const DRAIN_MS = 10_000;
/** Idle time before a connection is closed. Busier clients see `Connection: close` in a reply. */
const IDLE_MS = 500;
/** Time for a client to notice that its connection was closed. */
const LINGER_MS = 500;
const POLL_MS = 20;
/** Maximum time for which queued connections are still accepted. */
const ACCEPT_MS = 3_000;

export interface Connection {
  readonly socket: Socket;
  /** Replies in progress, in order. More than one only if the client uses pipelining. */
  readonly replies: ServerResponse[];
  /** Starts the requests that wait for the earlier ones of the connection, in order. */
  readonly waiting: (() => void)[];
  /** When the last request ended, and the number of bytes read by then. */
  idleSince: number;
  idleBytes: number;
  /** When the server closed it; later requests are not executed. */
  endedAt: number | undefined;
  /** Send progress as of the last sweep. */
  readonly sending: SendProgress;
}

/** The send progress of a connection. */
interface SendProgress {
  /** Unsent bytes held by the process. */
  unsent: number;
  /** Bytes of the current write that the kernel has not accepted. */
  queued: number;
  /** Number of consecutive sweeps without progress. */
  stalledSweeps: number;
}

/**
 * The client connections of a server, from the limits on their number to their graceful end (decision 38). The requests of a connection
 * run one after the other. A closing server answers every request that has arrived: the last reply of a connection announces its end, and
 * idle connections are closed without cutting off a request that is just arriving.
 */
export class Connections implements Iterable<Connection> {
  readonly #open = new Map<Socket, Connection>();
  readonly #proxies: BlockList;
  readonly #byAddress = new CountsByName();
  /** Open connections that were not refused. */
  #admitted = 0;
  /** Requests that wait for earlier ones of their connection. */
  #waiting = 0;
  #isDraining = false;
  #hasAccepted = false;

  /** @param trustedProxies addresses and networks without a limit per address */
  constructor(
    private readonly app: FastifyInstance,
    private readonly limits: ConnectionLimits,
    trustedProxies: readonly string[],
    private readonly metrics: Pick<
      Metrics,
      "refusedConnections" | "abandonedRequests" | "shedRequests" | "endedConnections"
    >,
  ) {
    this.#proxies = toBlockList(trustedProxies);
    const { server } = app;
    server.on("connection", (socket: Socket) => this.#accept(socket));
    server.removeAllListeners("request").on("request", this.#begin.bind(this));
    server.on("upgrade", (_request, socket: Socket) => {
      // The replies to earlier requests of the connection could no longer be sent.
      if (this.#open.get(socket)?.replies.length !== 0) socket.destroy();
    });
    app.addHook("preClose", () => this.#announceClose());
    // Node calls this when the server stops listening. The default implementation would cut off requests that are just arriving.
    server.closeIdleConnections = () => void this.#drain();
  }

  get size(): number {
    return this.#open.size;
  }

  get requestsInProgress(): number {
    return [...this].reduce((count, { replies }) => count + replies.length, 0);
  }

  /** Returns the replies in progress of a connection. */
  repliesOf(socket: Socket): readonly ServerResponse[] {
    return this.#open.get(socket)?.replies ?? [];
  }

  /** Ends a full connection with its last reply. Its client sends the later requests again (RFC 9112, section 9.6). */
  endFull(socket: Socket): void {
    this.metrics.endedConnections.inc({ reason: "pipelining" });
    announceEnd(this.repliesOf(socket));
    socket.resume();
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.#open.values();
  }

  #accept(socket: Socket): void {
    this.#hasAccepted = true;
    const connection: Connection = {
      socket,
      replies: [],
      waiting: [],
      idleSince: performance.now(),
      idleBytes: 0,
      endedAt: undefined,
      sending: { unsent: 0, queued: 0, stalledSweeps: 0 },
    };
    this.#open.set(socket, connection);
    const address = this.#addressOf(socket);
    const reason = this.#reasonToRefuse(address);
    // Emitted once: `once` would take more memory.
    socket.on("close", () => {
      this.#open.delete(socket);
      this.#waiting -= connection.waiting.splice(0).length;
      if (reason) return;
      this.#admitted -= 1;
      if (address !== undefined) this.#byAddress.add(address, -1);
    });
    if (reason) {
      this.#refuse(connection, reason);
      return;
    }
    this.#admitted += 1;
    if (address !== undefined) this.#byAddress.add(address, 1);
  }

  /** @returns undefined for a trusted proxy and for a closed connection */
  #addressOf({ remoteAddress }: Socket): string | undefined {
    if (remoteAddress === undefined || isListed(this.#proxies, remoteAddress)) return undefined;
    return toAddressBlock(remoteAddress);
  }

  #reasonToRefuse(address: string | undefined): keyof typeof REFUSALS | undefined {
    if (this.#admitted >= this.limits.maxConnections) return "process";
    if (address === undefined) return undefined;
    return this.#byAddress.of(address) >= this.limits.maxConnectionsPerAddress ? "address" : undefined;
  }

  #refuse(connection: Connection, reason: keyof typeof REFUSALS): void {
    this.metrics.refusedConnections.inc({ limit: reason });
    connection.endedAt = performance.now();
    if (this.size - this.#admitted > MAX_REFUSED_OPEN) connection.socket.destroy();
    else sendRawReply(connection.socket, REFUSALS[reason]);
  }

  #begin(request: IncomingMessage, reply: ServerResponse): void {
    const { socket } = request;
    const connection = this.#open.get(socket);
    // A request that cannot be answered must not be executed.
    if (!connection || connection.endedAt !== undefined) return;
    const { replies, waiting } = connection;
    if (this.#isDraining && replies.some((earlier) => earlier.headersSent && announcesEnd(earlier))) return;
    replies.push(reply);
    if (replies.length >= MAX_PIPELINED) FULL_CONNECTIONS.add(socket);
    if (this.#isDraining) announceEnd(replies);
    let open = 2;
    const onClose = () => {
      open -= 1;
      // A reply may end before its request does.
      if (open > 0) return;
      if (!reply.writableFinished) this.metrics.abandonedRequests.inc();
      connection.idleSince = performance.now();
      connection.idleBytes = socket.bytesRead;
      replies.splice(replies.indexOf(reply), 1);
      FULL_CONNECTIONS.delete(socket);
      if (waiting.length > 0) this.#startNext(connection);
    };
    // Emitted once: `once` would take longer.
    request.on("close", onClose);
    reply.on("close", onClose);
    if (replies.length === 1) this.app.routing(request, reply);
    else this.#wait(connection, () => this.app.routing(request, reply));
  }

  /** Makes a request wait for the earlier ones of its connection, and reads no more from it until then. */
  #wait(connection: Connection, start: () => void): void {
    connection.socket.pause();
    if (this.#waiting < this.limits.maxRequestsInProgress) {
      this.#waiting += 1;
      connection.waiting.push(start);
      return;
    }
    // An error per waiting request would have to be kept until the earlier ones are answered.
    this.metrics.shedRequests.inc({ limit: "process" });
    connection.endedAt = performance.now();
    connection.socket.resetAndDestroy();
  }

  #startNext({ socket, waiting }: Connection): void {
    this.#waiting -= 1;
    const start = waiting.shift();
    if (waiting.length === 0) socket.resume();
    start?.();
  }

  async #announceClose(): Promise<void> {
    this.#isDraining = true;
    for (const { replies } of this) announceEnd(replies);
    // Closing the listener resets connections in the accept queue, and those that the system is still establishing.
    const deadline = performance.now() + ACCEPT_MS;
    do {
      this.#hasAccepted = false;
      await sleep(POLL_MS);
      // A timer that is late runs before connections are accepted.
      await setImmediate();
    } while (this.#hasAccepted && performance.now() < deadline);
  }

  async #drain(): Promise<void> {
    const cutOffAt = performance.now() + DRAIN_MS;
    while (this.size > 0) {
      // All data that had arrived has now been read.
      await setImmediate();
      const now = performance.now();
      if (now >= cutOffAt) {
        this.app.log.warn(
          { connections: this.size },
          "connections were closed at shutdown: their requests took too long",
        );
        for (const { socket } of this) socket.destroy();
        return;
      }
      for (const connection of this) {
        const { socket } = connection;
        if (now >= (connection.endedAt ?? now) + LINGER_MS) socket.destroy();
        else if (connection.endedAt === undefined && isIdle(connection, now)) {
          connection.endedAt = now;
          socket.end();
        }
      }
      await sleep(POLL_MS);
    }
  }
}

/** Returns whether a connection has been idle, without even a partial request. */
function isIdle({ socket, replies, idleSince, idleBytes }: Connection, now: number): boolean {
  return replies.length === 0 && socket.bytesRead === idleBytes && now >= idleSince + IDLE_MS;
}

function announcesEnd(reply: ServerResponse): boolean {
  return reply.getHeader("connection") === "close";
}

/** Sets `Connection: close` on the last of the replies, unless its headers were sent, and removes it from the others. */
function announceEnd(replies: readonly ServerResponse[]): void {
  for (const [index, reply] of replies.entries()) {
    if (reply.headersSent) continue;
    if (index === replies.length - 1) reply.setHeader("connection", "close");
    else if (announcesEnd(reply)) reply.removeHeader("connection");
  }
}
