import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { EmbeddedConnection } from "../../src/embedded-postgres/connection.js";

/** What went over the connections to PostgreSQL. */
export interface Traffic {
  /** How often a client waited for an answer: each time it sent something after it had received something. */
  roundTrips: number;
  bytesSent: number;
  bytesReceived: number;
}

export interface WireCounter {
  /** The same server, by way of the counter. */
  readonly target: EmbeddedConnection;
  /** Counted since the last reset. */
  readonly traffic: Readonly<Traffic>;
  reset(): void;
  close(): void;
}

/** Stands between a client and PostgreSQL and counts what passes. It does not understand it, and so cannot be mistaken about it. */
export async function startWireCounter(server: EmbeddedConnection): Promise<WireCounter> {
  const traffic: Traffic = { roundTrips: 0, bytesSent: 0, bytesReceived: 0 };
  const reset = () => Object.assign(traffic, { roundTrips: 0, bytesSent: 0, bytesReceived: 0 });
  const proxy = createServer((client) => {
    const upstream = connect({ path: `${server.host}/.s.PGSQL.${server.port}` });
    let isAnswering = true;
    client.on("data", (bytes) => {
      if (isAnswering) traffic.roundTrips += 1;
      isAnswering = false;
      traffic.bytesSent += bytes.length;
      upstream.write(bytes);
    });
    upstream.on("data", (bytes) => {
      isAnswering = true;
      traffic.bytesReceived += bytes.length;
      client.write(bytes);
    });
    client.once("close", () => upstream.destroy());
    upstream.once("close", () => client.destroy());
    for (const socket of [client, upstream]) socket.on("error", () => socket.destroy());
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  const address = proxy.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return { target: { ...server, host: "127.0.0.1", port }, traffic, reset, close: () => void proxy.close() };
}
