import type { FastifyRequest } from "fastify";
import { DomainError } from "../../domain/shared/errors.js";

/** Request header of the console. Browsers let other origins send it only after a CORS preflight, which these routes reject. */
export const CONSOLE_HEADER = "x-console";

/**
 * Checks that a request which is authenticated by a cookie comes from a page of this service (CSRF protection).
 * @throws DomainError `forbidden` if the header is missing or the browser names another origin
 */
export function requireSameOrigin({ headers }: FastifyRequest): void {
  if (headers[CONSOLE_HEADER] === undefined) {
    throw new DomainError("forbidden", "Requests with a console session must have an X-Console header.");
  }
  if (isSameOrigin(headers)) return;
  throw new DomainError("forbidden", "A console session cannot be used from pages of another origin.");
}

function isSameOrigin({ "sec-fetch-site": site, origin, host }: FastifyRequest["headers"]): boolean {
  // Set by the browser; compares origins also if a proxy has changed the Host header.
  if (site !== undefined) return site === "same-origin";
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
}
