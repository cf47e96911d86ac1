/** Why the service did not do what it was asked for; the message is the service's own where there is one. */
export class Failure extends Error {
  /** What went wrong, for programs; `NETWORK` when there was no answer of the service. */
  readonly code: string;
  /** By which the service's log can be searched. */
  readonly requestId: string | null;

  constructor(message: string, code: string, requestId: string | null) {
    super(message);
    this.code = code;
    this.requestId = requestId;
  }
}

/** Makes a failure of whatever was thrown. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure(error instanceof Error ? error.message : String(error), "NETWORK", null);
}
