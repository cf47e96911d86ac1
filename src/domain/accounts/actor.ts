/** The author of a change: the holder of an API key, or an operator with direct database access (no key). */
export interface Actor {
  readonly keyId: number | null;
  readonly name: string;
  /** The request ID, as in `X-Request-Id` and the log. */
  readonly requestId: string | null;
}
