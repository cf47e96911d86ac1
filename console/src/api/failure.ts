/** A failed request, with the service's error message if there is one. */
export class Failure extends Error {
  /** Error code; `NETWORK` if the service did not reply. */
  readonly code: string;
  /** Request ID in the service's log. */
  readonly requestId: string | null;
  /** Seconds to wait before the next attempt, if the service says so. */
  readonly retryAfter: number | undefined;

  constructor(message: string, code: string, requestId: string | null, retryAfter?: number) {
    super(message);
    this.code = code;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }

  /** Whether the same request may succeed later. */
  get isTemporary(): boolean {
    return ["NETWORK", "UNAVAILABLE", "RATE_LIMITED"].includes(this.code);
  }
}

export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure(error instanceof Error ? error.message : String(error), "NETWORK", null);
}
