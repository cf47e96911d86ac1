/** Maximum wait for a retry of one read. */
const MAX_WAIT_S = 10;

/** The group could not be read. */
export class ViewerError extends Error {
  override readonly name = "ViewerError";
  /**
   * The service's error code in lower case; `network` if there was no reply, `timeout` if it was late, `no_session` if `getSession` failed,
   * `invalid_session` if it returned no session, `deleted` if the group was deleted.
   */
  readonly code: string;
  /** The HTTP status; 0 when there was no reply. */
  readonly status: number;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number;

  constructor(
    code: string,
    message: string,
    reply: { readonly status?: number; readonly retryAfter?: number } = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.status = reply.status ?? 0;
    this.retryAfter = reply.retryAfter ?? 0;
  }
}

/** Returns whether an error says that the user is signed out. */
export function isRefusal(error: unknown): boolean {
  const { status }: { status?: unknown } = Object(error);
  return status === 401 || status === 403;
}

/** Returns whether the same request may succeed within seconds. */
export function isTransient({ code, status, retryAfter }: ViewerError): boolean {
  const isTransientCode = code === "network" || code === "timeout" || status === 429 || status >= 500;
  return isTransientCode && retryAfter <= MAX_WAIT_S;
}
