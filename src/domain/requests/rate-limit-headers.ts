import type { Allowance } from "../shared/allowance.js";

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
