import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { redactSecrets } from "../../domain/shared/redaction.js";

/** IDs that are safe in headers and logs. */
const SAFE_ID = /^[\w.:/+=-]{1,128}$/;

/** Returns the client's `X-Request-Id` if it is safe, otherwise a new ID. */
export function requestId(request: IncomingMessage): string {
  const received = request.headers["x-request-id"];
  return typeof received === "string" && isSafe(received) ? received : randomUUID();
}

function isSafe(id: string): boolean {
  return SAFE_ID.test(id) && redactSecrets(id) === id;
}
