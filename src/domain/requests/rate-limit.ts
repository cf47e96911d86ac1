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
