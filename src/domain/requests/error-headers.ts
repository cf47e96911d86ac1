import type { DomainError } from "../shared/errors.js";
import { rateLimitHeaders } from "./rate-limit-headers.js";

/** The HTTP headers that go with an error, whichever face renders it. */
export function errorHeaders(error: DomainError): Readonly<Record<string, string>> {
  if (error.code === "unauthenticated") return { "www-authenticate": 'Token realm="user-groups"' };
  return {
    ...(error.retryAfter === undefined ? {} : { "retry-after": String(error.retryAfter) }),
    ...(error.allowance ? rateLimitHeaders(error.allowance) : {}),
  };
}
