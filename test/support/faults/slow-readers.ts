import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";

/** Clients that send something and read nothing. */
export interface SlowReaders {
  /** Ends their connections. */
  close(): void;
}

/**
 * Opens connections that each send the same bytes, and never read.
 * @param bytes whole requests, or a request whose end is missing
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
    // The test's other clients have their turn as well.
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
  // Before it is connected: then Node does not read by itself either.
  socket.pause();
  await once(socket, "connect");
  // The server resets it, which is what the tests wait for.
  socket.on("error", () => undefined);
  return socket;
}

/** A request as the bytes of a connection. @param body leaves its last bytes out where the length says so */
export function toBytes(
  line: string,
  headers: Readonly<Record<string, string | number>>,
  body: string | Buffer = "",
): Buffer {
  const all = { Host: "x", ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`${line} HTTP/1.1\r\n${head.join("")}\r\n`), Buffer.from(body)]);
}
