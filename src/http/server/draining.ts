import type { ServerResponse } from "node:http";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Metrics } from "../../telemetry/metrics.js";
import type { Connection, Connections } from "./connections.js";

/** How long what is under way may take once the server closes. */
const DRAIN_MS = 10_000;
/** How long nothing came over a connection that is ended: who uses one more often hears of it in a reply. */
const QUIET_MS = 500;
/** How long a client may take to notice that its connection was ended. */
const LINGER_MS = 500;
const LOOK_MS = 20;
/** How long connections that wait to be accepted still are, where ever more come. */
const ACCEPT_MS = 1_000;

/**
 * Has a server that closes answer every request that has come (decision 38): the last reply of a connection says that it ends, and
 * one over which nothing comes is ended without cutting a request that is just arriving.
 * @param tally counts the clients that have gone too early
 * @returns what tells how many requests are under way
 */
export function drainOnClose(
  app: FastifyInstance,
  connections: Connections,
  { abandonedRequests }: Metrics,
): () => number {
  const tooLate = new WeakSet<ServerResponse>();
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
      tooLate.add(reply);
      return;
    }
    const { replies } = connection;
    replies.push(reply);
    let open = 2;
    const onClose = () => {
      open -= 1;
      // A reply may be complete before its request is.
      if (open > 0) return;
      replies.splice(replies.indexOf(reply), 1);
      if (!reply.writableFinished) abandonedRequests.value += 1;
      connection.quietSince = performance.now();
      connection.quietBytes = socket.bytesRead;
    };
    request.once("close", onClose);
    reply.once("close", onClose);
  });
  app.addHook("onRequest", (request, reply, done) => {
    // What cannot be answered must not happen either.
    if (tooLate.has(reply.raw)) {
      reply.hijack();
      return;
    }
    if (isDraining) announceEnd(connections.of(request.raw.socket)?.replies ?? []);
    done();
  });
  app.addHook("preClose", async () => {
    isDraining = true;
    for (const { replies } of connections) announceEnd(replies);
    // What waits to be accepted is reset with the listener. A turn of the loop accepts one: after a whole turn without one, none waits.
    const deadline = performance.now() + ACCEPT_MS;
    await setImmediate();
    do {
      hasAccepted = false;
      await setImmediate();
    } while (hasAccepted && performance.now() < deadline);
  });
  // Node calls this when the server stops listening; its own would cut requests that are just arriving.
  app.server.closeIdleConnections = () => void drain();
  return () => [...connections].reduce((count, { replies }) => count + replies.length, 0);

  async function drain(): Promise<void> {
    const cutOffAt = performance.now() + DRAIN_MS;
    while (connections.size > 0) {
      // Now all that had arrived has been read.
      await setImmediate();
      const now = performance.now();
      if (now >= cutOffAt) {
        app.log.warn({ connections: connections.size }, "connections were cut: their requests took too long");
        for (const { socket } of connections) socket.destroy();
        return;
      }
      for (const connection of connections) {
        const { socket } = connection;
        if (now >= (connection.endedAt ?? now) + LINGER_MS) socket.destroy();
        else if (connection.endedAt === undefined && isQuiet(connection, now)) {
          connection.endedAt = now;
          socket.end();
        }
      }
      await sleep(LOOK_MS);
    }
  }
}

/** Whether nothing has come for a while, not even a part of a request. */
function isQuiet({ socket, replies, quietSince, quietBytes }: Connection, now: number): boolean {
  return replies.length === 0 && socket.bytesRead === quietBytes && now >= quietSince + QUIET_MS;
}

/** Whether a reply that is on its way says that nothing more is answered. */
function hasAnnouncedEnd({ replies }: Connection): boolean {
  return replies.some((reply) => reply.headersSent && saysEnd(reply));
}

function saysEnd(reply: ServerResponse): boolean {
  return reply.getHeader("connection") === "close";
}

/** Has the last reply of a connection say that it ends, and no earlier one: with it the connection goes. */
function announceEnd(replies: readonly ServerResponse[]): void {
  for (const [index, reply] of replies.entries()) {
    if (reply.headersSent) continue;
    if (index === replies.length - 1) reply.setHeader("connection", "close");
    else if (saysEnd(reply)) reply.removeHeader("connection");
  }
}
