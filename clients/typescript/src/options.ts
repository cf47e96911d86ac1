import { MAX_TIMER_MS } from "./abort.js";
import type { ResponseInfo } from "./response.js";

/** Options of the client. */
export interface ClientOptions {
  /** The service's base URL, such as `https://groups.example.com`; may have a path prefix. */
  readonly baseUrl: string | URL;
  /** `ugk_live_…` or `ugk_test_…`. Never send it to a browser. */
  readonly apiKey: string;
  /** Timeout of one attempt in milliseconds, including the reply. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries. Default: 3. */
  readonly maxRetries?: number | undefined;
  /** Timeout in milliseconds of all attempts of a call, including waits. Default: 60,000. */
  readonly maxElapsedMs?: number | undefined;
  /** Maximum number of requests at a time; further calls wait. Streams do not count. Default: 50. */
  readonly maxConnections?: number | undefined;
  /** Allows `http:` to other machines, which exposes the API key on the network. */
  readonly allowHttp?: boolean | undefined;
  /** Your program's name, appended to the `User-Agent`: `"billing/2.1"`. */
  readonly appName?: string | undefined;
  /** Your own `fetch`, such as one with a proxy or a private certificate authority. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Called before each attempt. It may add headers, such as `traceparent`. An error that a hook throws is the call's. */
  readonly onRequest?: ((request: RequestInfo) => void) | undefined;
  /** Called with each complete reply, also of calls that fail or return nothing. */
  readonly onResponse?: ((response: CallInfo & ResponseInfo) => void) | undefined;
  /** Called before the wait for the next attempt. */
  readonly onRetry?: ((retry: RetryInfo) => void) | undefined;
}

/** Identifies an attempt of a call. */
export interface CallInfo {
  /** The name of the GraphQL operation, if it has one. */
  readonly operation: string | undefined;
  /** 1 for the first one. */
  readonly attempt: number;
}

/** An attempt that is about to be sent. */
export interface RequestInfo extends CallInfo {
  /** Without those that every request has, such as the API key. */
  readonly headers: Record<string, string>;
}

/** A failed attempt that is repeated. */
export interface RetryInfo extends CallInfo {
  readonly error: unknown;
  readonly waitMs: number;
}

/** Options of a single call. */
export interface CallOptions {
  /** Aborts the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
  readonly maxElapsedMs?: number | undefined;
  /**
   * Makes the change apply at most once, even if your program restarts and repeats it within 24 hours. 1 to 255 printable ASCII
   * characters. Default: a random key per call, shared by its retries.
   */
  readonly idempotencyKey?: string | undefined;
}

/** Options of a deletion. */
export interface DeletionOptions extends CallOptions {
  /** The version that the object must have, as you last read it. */
  readonly expectedVersion?: number | undefined;
}

/** Validated options. */
export interface Settings {
  readonly base: URL;
  readonly apiKey: string;
  readonly limits: CallLimits;
  readonly maxConnections: number;
  readonly appName: string | undefined;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly hooks: Pick<ClientOptions, "onRequest" | "onResponse" | "onRetry">;
}

/** Timeouts and retries of a call. */
export interface CallLimits {
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly maxElapsedMs: number;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** @throws TypeError that names the invalid option, without the API key */
export function readOptions(options: ClientOptions): Settings {
  const { apiKey, appName, fetch, onRequest, onResponse, onRetry } = options;
  if (typeof apiKey !== "string" || !/^ugk_(?:live|test)_[0-9A-Za-z]+$/.test(apiKey)) {
    throw new TypeError("`apiKey` must be an API key, which begins with `ugk_live_` or `ugk_test_`.");
  }
  if (appName !== undefined && !PRINTABLE.test(appName)) {
    throw new TypeError("`appName` must be 1 to 255 printable ASCII characters.");
  }
  return {
    base: readBaseUrl(options.baseUrl, options.allowHttp === true),
    apiKey,
    limits: readLimits(options, { timeoutMs: 10_000, maxRetries: 3, maxElapsedMs: 60_000 }),
    maxConnections: readNumber("maxConnections", options.maxConnections ?? 50, 1),
    appName,
    fetch,
    hooks: { onRequest, onResponse, onRetry },
  };
}

/** Returns the limits of a call, by default the client's. @throws TypeError */
export function readLimits(options: CallOptions | ClientOptions, defaults: CallLimits): CallLimits {
  const timeoutMs = readNumber("timeoutMs", options.timeoutMs ?? defaults.timeoutMs, 1);
  return {
    timeoutMs: Math.min(timeoutMs, MAX_TIMER_MS),
    maxRetries: readNumber("maxRetries", options.maxRetries ?? defaults.maxRetries, 0),
    maxElapsedMs: readNumber("maxElapsedMs", options.maxElapsedMs ?? defaults.maxElapsedMs, 1),
  };
}

/** @throws TypeError */
export function readIdempotencyKey(key: string): string {
  if (PRINTABLE.test(key)) return key;
  throw new TypeError("`idempotencyKey` must be 1 to 255 printable ASCII characters.");
}

function readBaseUrl(baseUrl: string | URL, allowHttp: boolean): URL {
  if (!URL.canParse(String(baseUrl))) {
    throw new TypeError("`baseUrl` must be a URL such as https://groups.example.com.");
  }
  const url = new URL(baseUrl);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new TypeError("`baseUrl` must begin with https:// or http://.");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new TypeError("`baseUrl` must not contain a user name, password, query or fragment.");
  }
  if (url.protocol === "http:" && !allowHttp && !LOOPBACK.test(url.hostname)) {
    throw new TypeError(
      "`baseUrl` must begin with https://, because http:// exposes the API key on the network. Set `allowHttp` to allow it.",
    );
  }
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

function readNumber(name: string, value: number, min: number): number {
  if (typeof value === "number" && value >= min) return value;
  throw new TypeError(`\`${name}\` must be a number of at least ${min}.`);
}
