import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { redactSecrets } from "../../domain/shared/redaction.js";

/** Ids that may be echoed in a header and written to a log as they stand. */
const SAFE = /^[\w.:/+=-]{1,128}$/;

/** The id of a request: the caller's own `X-Request-Id` where it is harmless, else a new one. */
export function requestId(request: IncomingMessage): string {
  const given = request.headers["x-request-id"];
  return typeof given === "string" && isHarmless(given) ? given : randomUUID();
}

function isHarmless(id: string): boolean {
  return SAFE.test(id) && redactSecrets(id) === id;
}
