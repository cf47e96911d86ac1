import type { FastifyInstance } from "fastify";
import { DomainError } from "../../domain/shared/errors.js";

/**
 * Rejects requests with several Host or Authorization headers, and, as HTTP requires, those without a Host: a proxy could evaluate
 * a different one than this service does (request smuggling).
 */
export function requireSingleHeaders(app: FastifyInstance): void {
  app.addHook("onRequest", ({ raw }, _reply, done) => {
    const { hosts, authorizations } = count(raw.rawHeaders);
    if (hosts !== 1 && !(hosts === 0 && raw.httpVersion !== "1.1")) {
      done(new DomainError("bad_request", "The request must have one Host header."));
    } else if (authorizations > 1) {
      done(new DomainError("bad_request", "The request must have at most one Authorization header."));
    } else done();
  });
}

/** @param headers alternating names and values */
function count(headers: readonly string[]): { readonly hosts: number; readonly authorizations: number } {
  let hosts = 0;
  let authorizations = 0;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
    if (name.length === 13 && name.toLowerCase() === "authorization") authorizations += 1;
  }
  return { hosts, authorizations };
}
