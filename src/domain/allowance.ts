/** What a limit leaves to whom it holds for. */
export interface Allowance {
  /** What the limit is about. */
  readonly policy: "requests" | "auth-failures";
  /** The most points in a window. */
  readonly limit: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  /** When all of it is there again, in whole seconds from now. */
  readonly resetSeconds: number;
}
