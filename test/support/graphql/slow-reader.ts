import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A client that subscribes and reads nothing until asked to. */
export interface SlowReader {
  readonly socket: Socket;
  /** Reads everything until the service closes the connection. */
  readToEnd(): Promise<string>;
  close(): void;
}

/** Sends a subscription over a new connection. @param count how often it is sent */
export async function openSlowReader(
  url: string,
  authorization: string,
  query: string,
  count = 1,
): Promise<SlowReader> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  // The service may disconnect it.
  socket.on("error", () => undefined);
  const body = JSON.stringify({ query });
  const head = [
    "POST /graphql HTTP/1.1",
    "Host: localhost",
    `Authorization: ${authorization}`,
    "Content-Type: application/json",
    "Accept: text/event-stream",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  await once(socket, "connect");
  socket.pause();
  socket.write([...head, "", body].join("\r\n").repeat(count));
  return {
    socket,
    async readToEnd() {
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString();
        // The stream has ended and the connection is idle.
        if (text.endsWith("0\r\n\r\n")) socket.end();
      });
      socket.resume();
      if (!socket.closed) await once(socket, "close");
      return text;
    },
    close: () => socket.destroy(),
  };
}
