import { once } from "node:events";
import { connect } from "node:net";

interface Reply {
  readonly kind: "reply";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it has `Connection: close`. */
  readonly ends: boolean;
  readonly body: unknown;
}

/** A reply, or how the connection ended instead. */
type Outcome = Reply | { readonly kind: "closed" } | { readonly kind: "broken"; readonly code: unknown };

/** One connection that reports the outcome of each request; never retries. */
export interface KeepAliveClient {
  /** Sends raw bytes. */
  write(text: string): void;
  /** Waits for the next reply. */
  next(): Promise<Outcome>;
  close(): void;
}

/** A request to /api/user as bytes. */
export function userRequest(method: string, key: string, body: object): string {
  return jsonRequest(method, "/api/user", key, body);
}

/** A request with a JSON body as bytes. */
export function jsonRequest(
  method: string,
  path: string,
  key: string,
  body: object,
  headers: readonly string[] = [],
): string {
  const json = JSON.stringify(body);
  return [
    `${method} ${path} HTTP/1.1`,
    "Host: x",
    `Authorization: Token ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(json)}`,
    ...headers,
    "",
    json,
  ].join("\r\n");
}

/** Connects. @throws the system's error when the connection is refused */
export async function openKeepAliveClient(url: string): Promise<KeepAliveClient> {
  // Half open, so that a test can send after the server's end.
  const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true });
  await once(socket, "connect");
  let received = "";
  let ending: Outcome | undefined;
  let wake: () => void = () => undefined;
  // One character per byte, so that lengths match the headers.
  socket.setEncoding("latin1").on("data", (text: string) => {
    received += text;
    wake();
  });
  socket.on("end", () => {
    ending ??= { kind: "closed" };
    wake();
  });
  socket.on("error", (error) => {
    ending ??= { kind: "broken", code: "code" in error ? error.code : error.message };
    wake();
  });
  return {
    write: (text) => void socket.write(text),
    async next() {
      for (;;) {
        const parsed = parseReply(received);
        if (parsed) {
          received = received.slice(parsed.length);
          return parsed.reply;
        }
        if (ending) return ending;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    close: () => void socket.destroy(),
  };
}

function parseReply(text: string): { readonly reply: Reply; readonly length: number } | undefined {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return undefined;
  const [line = "", ...lines] = text.slice(0, head).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((each) => [each.split(": ", 1)[0]?.toLowerCase(), each.slice(each.indexOf(": ") + 2)]),
  );
  const start = head + 4;
  const length = start + Number(headers["content-length"]);
  if (text.length < length) return undefined;
  const body = Buffer.from(text.slice(start, length), "latin1").toString("utf8");
  return {
    reply: {
      kind: "reply",
      status: Number(line.split(" ", 2)[1]),
      headers,
      ends: headers["connection"] === "close",
      body: headers["content-type"]?.includes("json") ? JSON.parse(body) : body,
    },
    length,
  };
}
