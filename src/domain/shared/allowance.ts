/** A rate limit policy. */
export interface Limit {
  /** The limited quantity. */
  readonly policy: "requests" | "auth-failures";
  /** Maximum cost units per window; 0 disables the limit. */
  readonly limit: number;
  readonly windowSeconds: number;
}

/** The remaining allowance of a caller under a rate limit. */
export interface Allowance extends Limit {
  readonly remaining: number;
  /** Whole seconds until the full allowance is restored. */
  readonly resetSeconds: number;
}
