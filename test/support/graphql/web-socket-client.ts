import { once } from "node:events";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { soon } from "../service/patience.js";

export interface SocketClient {
  readonly socket: WebSocket;
  send(message: object): void;
  /** Waits for the next message. @returns undefined once the socket is closed */
  next(): Promise<unknown>;
  /** Waits for the close frame. */
  closed(): Promise<{ readonly code: number; readonly reason: string }>;
}

interface SocketOptions {
  readonly protocol?: string;
  readonly origin?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the client answers pings. */
  readonly autoPong?: boolean;
}

/** Opens a WebSocket that sends nothing on its own. It is closed after the test. */
export async function openSocket(
  url: string,
  { protocol = "graphql-transport-ws", origin, headers = {}, autoPong = true }: SocketOptions = {},
): Promise<SocketClient> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/graphql`, protocol === "" ? [] : protocol, {
    ...(origin === undefined ? {} : { origin }),
    headers,
    autoPong,
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once("close", (code, reason) => resolve({ code, reason: String(reason) }));
  });
  onTestFinished(() => socket.terminate());
  const messages: unknown[] = [];
  let wake: () => void = () => undefined;
  socket.on("message", (data) => {
    messages.push(JSON.parse(String(data)));
    wake();
  });
  socket.on("close", () => wake());
  await once(socket, "open");
  return {
    socket,
    send: (message) => socket.send(JSON.stringify(message)),
    async next() {
      while (messages.length === 0 && socket.readyState !== WebSocket.CLOSED) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        await soon("A message", woken);
      }
      return messages.shift();
    },
    closed: () => soon("The end of a WebSocket", closed),
  };
}

/** Opens a WebSocket and authenticates. */
export async function connectSocket(
  url: string,
  authorization: string,
  options: SocketOptions = {},
): Promise<SocketClient> {
  const client = await openSocket(url, options);
  client.send({ type: "connection_init", payload: { authorization } });
  await client.next();
  return client;
}

/** Creates a `subscribe` message. */
export function subscribe(id: string, query: string, variables: object = {}): object {
  return { id, type: "subscribe", payload: { query, variables } };
}

/** Subscribes to one user group, and takes its current state, the first event. */
export async function subscribeToGroup(
  client: SocketClient,
  ...operation: Parameters<typeof subscribe>
): Promise<void> {
  client.send(subscribe(...operation));
  await client.next();
}
