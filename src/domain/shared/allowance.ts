/** How many points somebody may spend. */
export interface Limit {
  /** What the limit is about. */
  readonly policy: "requests" | "auth-failures";
  /** The most points in a window; 0 for any number. */
  readonly limit: number;
  readonly windowSeconds: number;
}

/** What a limit leaves to whom it holds for. */
export interface Allowance extends Limit {
  readonly remaining: number;
  /** When all of it is there again, in whole seconds from now. */
  readonly resetSeconds: number;
}
