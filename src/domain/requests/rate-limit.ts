import type { Allowance, Limit } from "../shared/allowance.js";
import { DomainError } from "../shared/errors.js";

/** What was taken under one name since its window began; windows have one length, and begin with the first point. */
export interface Counter {
  /** Whether the points that were asked for were taken: all of them, or none. */
  readonly taken: boolean;
  /** All points taken in this window. */
  readonly used: number;
  /** When the window ends, in milliseconds from now. */
  readonly endsInMs: number;
}

/** Counts that all replicas share, where they can be reached. */
export interface SharedCounters {
  readonly isReachable: boolean;
  /** Takes points, unless that makes more than the limit. @throws Error when it turns out that nothing can be reached */
  take(name: string, points: number, limit: number, windowMs: number): Promise<Counter>;
}

/** What a count leaves of a limit. */
export function allowanceOf(limit: Limit, { used, endsInMs }: Omit<Counter, "taken">): Allowance {
  return {
    ...limit,
    remaining: Math.max(limit.limit - used, 0),
    resetSeconds: Math.max(Math.ceil(endsInMs / 1000), 1),
  };
}

/** The error of somebody whose allowance does not suffice. @param figures beside the allowance's own */
export function rateLimited(
  message: string,
  allowance: Allowance,
  figures: Readonly<Record<string, number>> = {},
): DomainError {
  const { limit, remaining, resetSeconds } = allowance;
  return new DomainError("rate_limited", `${message} Try again in ${resetSeconds} s.`, {
    retryAfter: resetSeconds,
    figures: { limit, remaining, ...figures },
    allowance,
  });
}
