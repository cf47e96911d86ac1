import type { Allowance, Limit } from "../shared/allowance.js";
import { DomainError } from "../shared/errors.js";

/** State of a fixed-window counter. The window begins with the first cost unit. */
export interface Counter {
  /** Whether the requested cost units were taken; they are taken all or none. */
  readonly taken: boolean;
  /** Cost units used in this window. */
  readonly used: number;
  /** Milliseconds until the window ends. */
  readonly endsInMs: number;
}

/** Returns the remaining allowance. */
export function allowanceOf(limit: Limit, { used, endsInMs }: Omit<Counter, "taken">): Allowance {
  return {
    ...limit,
    remaining: Math.max(limit.limit - used, 0),
    resetSeconds: Math.max(Math.ceil(endsInMs / 1000), 1),
  };
}

/** Creates the `rate_limited` error. @param details additional error details */
export function rateLimited(
  message: string,
  allowance: Allowance,
  details: Readonly<Record<string, number>> = {},
): DomainError {
  const { limit, remaining, resetSeconds } = allowance;
  return new DomainError("rate_limited", `${message} Try again in ${resetSeconds} s.`, {
    retryAfter: resetSeconds,
    details: { limit, remaining, ...details },
    allowance,
  });
}

export const RATE_LIMIT_HEADERS = [
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "RateLimit-Policy",
  "RateLimit",
] as const;

/**
 * Returns the rate limit headers (decision 33): the three separate headers of draft-ietf-httpapi-ratelimit-headers-06, which
 * most clients read, and the two structured fields of the drafts since -08.
 */
export function rateLimitHeaders(allowance: Allowance): Readonly<Record<string, string>> {
  const { policy, limit, windowSeconds, remaining, resetSeconds } = allowance;
  return {
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(remaining),
    "ratelimit-reset": String(resetSeconds),
    "ratelimit-policy": `"${policy}";q=${limit};w=${windowSeconds}`,
    ratelimit: `"${policy}";r=${remaining};t=${resetSeconds}`,
  };
}

/** Returns the HTTP headers of an error response, for both APIs. */
export function errorHeaders(error: DomainError): Readonly<Record<string, string>> {
  if (error.code === "unauthenticated")
    return { "www-authenticate": error.schemes.map((scheme) => `${scheme} realm="user-groups"`).join(", ") };
  return {
    ...(error.retryAfter === undefined ? {} : { "retry-after": String(error.retryAfter) }),
    ...(error.allowance ? rateLimitHeaders(error.allowance) : {}),
  };
}
