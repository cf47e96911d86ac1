import type { Allowance } from "../shared/allowance.js";

/** The names of all headers about rate limits. */
export const RATE_LIMIT_HEADERS = [
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "RateLimit-Policy",
  "RateLimit",
] as const;

/**
 * The HTTP headers that tell an allowance (decision 33): three of their own, as in draft-ietf-httpapi-ratelimit-headers-06, which
 * most clients read; and the two structured fields of the drafts from -08 on.
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
