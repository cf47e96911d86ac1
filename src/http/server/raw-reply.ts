import { randomUUID } from "node:crypto";
import { type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { DomainError } from "../../domain/shared/errors.js";
import { renderError } from "../../rest/errors.js";
import type { Metrics } from "../../telemetry/metrics.js";

/** Time for a client to read the reply: closing immediately could discard it while the client still sends. */
const LINGER_MS = 2_000;

/** Headers of all replies, besides the request ID (decision 11). */
export const COMMON_HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
} as const;

const INVALID_HTTP = {
  status: 400,
  message: "The request is not valid HTTP. A body needs the header `Content-Length` or `Transfer-Encoding`.",
};
const BROKEN: ReadonlyMap<unknown, typeof INVALID_HTTP> = new Map([
  ["HPE_HEADER_OVERFLOW", { status: 431, message: "The URL and headers of the request are too large." }],
  ["ERR_HTTP_REQUEST_TIMEOUT", { status: 408, message: "The request took too long to arrive." }],
]);

/**
 * Sends an error over a connection that no route serves, and closes it.
 * @param status overrides the error's own status
 */
export function sendRawReply(socket: Socket, error: DomainError, status?: number): void {
  const cutOff = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(cutOff)).resume();
  const id = randomUUID();
  const { headers, body, ...rendered } = renderError(error, id);
  const text = JSON.stringify(body);
  const code = status ?? rendered.status;
  socket.end(
    [
      `HTTP/1.1 ${code} ${STATUS_CODES[code]}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(text)}`,
      `X-Request-Id: ${id}`,
      ...Object.entries({ ...COMMON_HEADERS, ...headers }).map(([name, value]) => `${name}: ${value}`),
      "Connection: close",
      "",
      text,
    ].join("\r\n"),
  );
}

/**
 * Returns a function that answers requests that are not valid HTTP or take too long to arrive, and so reach no route. Earlier requests on
 * the same connection are answered first. A request that was answered before its body failed gets no second answer.
 * @param repliesOf returns the replies in progress of a connection
 */
export function brokenRequestHandler(
  repliesOf: (socket: Socket) => readonly ServerResponse[],
  { errors }: Metrics,
): (error: Error & { readonly code?: unknown }, socket: Socket) => void {
  const broken = new WeakSet<Socket>();
  return ({ code }, socket) => {
    if (broken.has(socket)) {
      if (socket.readableEnded) socket.destroySoon();
      return;
    }
    broken.add(socket);
    const replies = repliesOf(socket);
    const reply = replies.find(({ req }) => !req.complete);
    const earlier = replies.findLast(({ req, writableFinished }) => req.complete && !writableFinished);
    if (earlier) earlier.once("close", close);
    else close();

    function close(): void {
      if (reply?.headersSent) {
        socket.destroySoon();
        return;
      }
      errors.inc({ api: "rest", code: "bad_request" });
      if (!socket.writable || code === "ECONNRESET") {
        socket.destroy();
        return;
      }
      const { status, message } = BROKEN.get(code) ?? INVALID_HTTP;
      sendRawReply(socket, new DomainError("bad_request", message), status);
    }
  };
}
