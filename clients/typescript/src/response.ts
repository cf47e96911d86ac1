/** The rate limit of the API key after a call. */
export interface RateLimit {
  /** Maximum cost per period. */
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the period ends. */
  readonly resetSeconds: number;
}

/** Status and headers of a reply. */
export interface ResponseInfo {
  /** The HTTP status. */
  readonly status: number;
  /** The request ID, for support and the service's log. */
  readonly requestId: string | undefined;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined;
  /** undefined if the service has no rate limit. */
  readonly rateLimit: RateLimit | undefined;
}

const responses = new WeakMap<object, ResponseInfo>();

/** Returns the request ID and rate limit of the call that returned this object, array or item of a list. */
export function responseOf(result: object): ResponseInfo | undefined {
  return responses.get(result);
}

/** Keeps the response of a result for `responseOf`. @returns the result */
export function keepResponse<T>(result: T, response: ResponseInfo | undefined): T {
  if (response && typeof result === "object" && result !== null) responses.set(result, response);
  return result;
}
