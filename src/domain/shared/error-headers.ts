import { rateLimitHeaders } from "../requests/rate-limit-headers.js";
import type { DomainError } from "./errors.js";

/** The HTTP headers that go with an error, whichever face renders it. */
export function errorHeaders(error: DomainError): Readonly<Record<string, string>> {
  if (error.code === "unauthenticated") return { "www-authenticate": 'Token realm="user-groups"' };
  return {
    ...(error.retryAfter === undefined ? {} : { "retry-after": String(error.retryAfter) }),
    ...(error.allowance ? rateLimitHeaders(error.allowance) : {}),
  };
}
