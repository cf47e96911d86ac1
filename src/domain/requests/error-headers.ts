import type { DomainError } from "../shared/errors.js";
import { rateLimitHeaders } from "./rate-limit-headers.js";

/** Returns the HTTP headers of an error response, for both APIs. */
export function errorHeaders(error: DomainError): Readonly<Record<string, string>> {
  if (error.code === "unauthenticated") return { "www-authenticate": 'Token realm="user-groups"' };
  return {
    ...(error.retryAfter === undefined ? {} : { "retry-after": String(error.retryAfter) }),
    ...(error.allowance ? rateLimitHeaders(error.allowance) : {}),
  };
}
