import type { FastifyRequest } from "fastify";
import { DomainError } from "../../../domain/shared/errors.js";

/**
 * Rejects WebSockets of pages on other sites: browsers do not apply CORS to WebSockets. Other clients send no Origin header.
 * @param origins allowed besides the service's own origin
 * @throws DomainError `forbidden`
 */
export function requireAllowedOrigin(request: FastifyRequest, origins: readonly string[] | "*"): void {
  const { origin } = request.headers;
  if (origin === undefined || origins === "*" || origins.includes(origin)) return;
  if (URL.canParse(origin) && new URL(origin).host === request.host) return;
  throw new DomainError(
    "forbidden",
    "This origin may not open WebSockets. Add it to the setting `CORS_ORIGINS`.",
  );
}
