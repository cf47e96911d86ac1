import type { FastifyRequest } from "fastify";
import { DomainError } from "../../../domain/shared/errors.js";

/** Origins whose pages may call the API. */
export type AllowedOrigins = readonly (string | RegExp)[] | "*";

/** Returns whether pages of an origin may call the API. */
export function isAllowedOrigin(origin: string, origins: AllowedOrigins): boolean {
  if (origins === "*") return true;
  return origins.some((each) => (typeof each === "string" ? each === origin : each.test(origin)));
}

/**
 * Rejects WebSockets of pages on other sites: browsers do not apply CORS to WebSockets. Other clients send no Origin header.
 * @param origins allowed besides the service's own origin
 * @throws DomainError `forbidden`
 */
export function requireAllowedOrigin(request: FastifyRequest, origins: AllowedOrigins): void {
  const { origin } = request.headers;
  if (origin === undefined || isAllowedOrigin(origin, origins)) return;
  if (URL.canParse(origin) && new URL(origin).host === request.host) return;
  throw new DomainError(
    "forbidden",
    "This origin may not open WebSockets. Add it to the setting `CORS_ORIGINS`.",
  );
}
