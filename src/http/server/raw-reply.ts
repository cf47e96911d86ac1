import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { DomainError } from "../../domain/shared/errors.js";
import { renderError } from "../../rest/error-view.js";

/** Time for a client to read the reply: closing immediately could discard it while the client still sends. */
const LINGER_MS = 2_000;

/** Headers of all replies, besides the request ID (decision 11). */
export const COMMON_HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
} as const;

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
