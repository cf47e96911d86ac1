import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { DomainError } from "../domain/errors.js";
import { renderError } from "../rest/error-view.js";

const STATUSES: ReadonlyMap<unknown, number> = new Map([
  ["HPE_HEADER_OVERFLOW", 431],
  ["ERR_HTTP_REQUEST_TIMEOUT", 408],
]);

/** Answers what is not HTTP at all, or takes too long: such a request reaches no route. */
export function answerBrokenRequest(error: Error & { readonly code?: unknown }, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const id = randomUUID();
  const status = STATUSES.get(error.code) ?? 400;
  const { body } = renderError(new DomainError("bad_request", "The request is not valid HTTP."), id);
  const text = JSON.stringify(body);
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(text)}`,
      "Cache-Control: no-store",
      `X-Request-Id: ${id}`,
      "Connection: close",
      "",
      text,
    ].join("\r\n"),
  );
}
