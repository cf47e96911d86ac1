import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";

/** Clients that send requests and never read. */
export interface SlowReaders {
  /** Closes their connections. */
  close(): void;
}

/**
 * Opens connections that each send the same bytes and never read.
 * @param bytes complete requests, or an incomplete one
 */
export async function openSlowReaders(
  url: string,
  count: number,
  bytes: string | Buffer,
): Promise<SlowReaders> {
  const port = Number(new URL(url).port);
  const sockets = await Promise.all(Array.from({ length: count }, () => openOne(port)));
  for (const socket of sockets) {
    socket.write(bytes);
    // Let the test's other clients run.
    await setImmediate();
  }
  return {
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function openOne(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1" });
  // Pause before it connects; otherwise Node.js starts reading.
  socket.pause();
  await once(socket, "connect");
  // The server resets it, as tests expect.
  socket.on("error", () => undefined);
  return socket;
}

/** Serializes a request. @param body may be shorter than its declared length */
export function toBytes(
  line: string,
  headers: Readonly<Record<string, string | number>>,
  body: string | Buffer = "",
): Buffer {
  const all = { Host: "x", ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${line} HTTP/1.1\r\n${head.join("")}\r\n`), Buffer.from(body)]);
}
