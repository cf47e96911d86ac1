import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Metrics } from "../../telemetry/metrics.js";
import type { Connection, Connections } from "./connections.js";

/** Maximum time for requests in progress after the server closes. */
const DRAIN_MS = 10_000;
/** Idle time before a connection is closed. Busier clients see `Connection: close` in a reply. */
const IDLE_MS = 500;
/** Time for a client to notice that its connection was closed. */
const LINGER_MS = 500;
const POLL_MS = 20;
/** Maximum time for which queued connections are still accepted. */
const ACCEPT_MS = 1_000;

/**
 * Makes a closing server answer every request that has arrived (decision 38): the last reply of a connection announces its end, and
 * idle connections are closed without cutting off a request that is just arriving.
 * @returns a function that returns the number of requests in progress
 */
export function drainOnClose(
  app: FastifyInstance,
  connections: Connections,
  { abandonedRequests }: Metrics,
): () => number {
  const unanswerable = new WeakSet<ServerResponse>();
  let isDraining = false;
  let hasAccepted = false;

  app.server.on("connection", () => {
    hasAccepted = true;
  });
  app.server.prependListener("request", (request, reply) => {
    const { socket } = request;
    const connection = connections.of(socket);
    if (!connection) return;
    if (connection.endedAt !== undefined || (isDraining && hasAnnouncedEnd(connection))) {
      unanswerable.add(reply);
      return;
    }
    connection.replies.push(reply);
    if (isDraining) announceEnd(connection.replies);
    let open = 2;
    const onClose = () => {
      open -= 1;
      // A reply may end before its request does.
      if (open > 0) return;
      if (!reply.writableFinished) abandonedRequests.inc();
      connection.idleSince = performance.now();
      connection.idleBytes = socket.bytesRead;
      connections.endReply(connection, reply);
    };
    request.once("close", onClose);
    reply.once("close", onClose);
  });
  app.server.on("upgrade", (_request, socket: Socket) => {
    // The replies to earlier requests of the connection could no longer be sent.
    if (connections.of(socket)?.replies.length !== 0) socket.destroy();
  });
  app.addHook("onRequest", (_request, reply, done) => {
    // A request that cannot be answered must not be executed.
    if (unanswerable.has(reply.raw)) {
      reply.hijack();
      return;
    }
    done();
  });
  app.addHook("preClose", async () => {
    isDraining = true;
    for (const { replies } of connections) announceEnd(replies);
    // Closing the listener resets connections in the accept queue. Each event loop turn accepts one; after a turn without one, it is empty.
    const deadline = performance.now() + ACCEPT_MS;
    await setImmediate();
    do {
      hasAccepted = false;
      await setImmediate();
    } while (hasAccepted && performance.now() < deadline);
  });
  // Node calls this when the server stops listening. The default implementation would cut off requests that are just arriving.
  app.server.closeIdleConnections = () => void drain();
  return () => [...connections].reduce((count, { replies }) => count + replies.length, 0);

  async function drain(): Promise<void> {
    const cutOffAt = performance.now() + DRAIN_MS;
    while (connections.size > 0) {
      // All data that had arrived has now been read.
      await setImmediate();
      const now = performance.now();
      if (now >= cutOffAt) {
        app.log.warn(
          { connections: connections.size },
          "connections were closed at shutdown: their requests took too long",
        );
        for (const { socket } of connections) socket.destroy();
        return;
      }
      for (const connection of connections) {
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

/** Returns whether a sent reply has announced the end of the connection. */
function hasAnnouncedEnd({ replies }: Connection): boolean {
  return replies.some((reply) => reply.headersSent && announcesEnd(reply));
}

function announcesEnd(reply: ServerResponse): boolean {
  return reply.getHeader("connection") === "close";
}

/** Announces the end of a connection in its last reply only: Node closes the connection after that reply. */
function announceEnd(replies: readonly ServerResponse[]): void {
  for (const [index, reply] of replies.entries()) {
    if (reply.headersSent) continue;
    if (index === replies.length - 1) reply.setHeader("connection", "close");
    else if (announcesEnd(reply)) reply.removeHeader("connection");
  }
}
