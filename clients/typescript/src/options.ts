import type { Agent as HttpAgent } from "node:http";
import type { Agent as HttpsAgent } from "node:https";

/** How to reach the service, and how patiently. */
export interface ClientOptions {
  /** The address of the service, such as `https://groups.example.com`; a path is kept in front of the API's. */
  readonly baseUrl: string | URL;
  /** `ugk_live_…` or `ugk_test_…`. It stays on your server: never send it to a browser. */
  readonly apiKey: string;
  /** How long one attempt may take, in milliseconds, to the last byte of the reply. 10,000 unless told otherwise. */
  readonly timeoutMs?: number | undefined;
  /** How often a failed attempt is repeated. 3 unless told otherwise; 0 for never. */
  readonly maxRetries?: number | undefined;
  /** How long all attempts of a call may take, with the waits between. 60,000 unless told otherwise. */
  readonly maxElapsedMs?: number | undefined;
  /** The most connections at once. 50 unless told otherwise; further calls wait for one. Streams have their own. */
  readonly maxConnections?: number | undefined;
  /** Whether `http:` may lead to another machine: then everybody on the way reads the API key. */
  readonly allowHttp?: boolean | undefined;
  /** Your program, as it stands at the end of the `User-Agent`: `"billing/2.1"`. */
  readonly appName?: string | undefined;
  /**
   * An agent of your own, for a proxy or a private certificate authority; it is not closed by `close()`. Each `watch` and
   * `subscribe` holds one of its connections for as long as it lasts: leave room for them in its `maxSockets`.
   */
  readonly agent?: HttpAgent | HttpsAgent | undefined;
}

/** What may be told for a single call. */
export interface CallOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly maxRetries?: number | undefined;
  readonly maxElapsedMs?: number | undefined;
  /**
   * Names this change, so that it counts once even if your program starts again and repeats it within 24 hours: 1 to 255
   * printable ASCII characters. Without it each call that needs one gets a key of its own, which its retries share.
   */
  readonly idempotencyKey?: string | undefined;
}

/** The options once they are read. */
export interface Settings {
  readonly base: URL;
  readonly apiKey: string;
  readonly limits: CallLimits;
  readonly maxConnections: number;
  readonly appName: string | undefined;
  readonly agent: HttpAgent | HttpsAgent | undefined;
}

/** How patient a call is. */
export interface CallLimits {
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly maxElapsedMs: number;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
/** What a timer can wait for: above it, Node.js waits for a millisecond. */
export const LONGEST_MS = 2 ** 31 - 1;
const PRINTABLE = /^[\x20-\x7e]{1,255}$/;

/** @throws TypeError that names the option which cannot be used, and never tells the API key */
export function readOptions(options: ClientOptions): Settings {
  const { apiKey, appName, agent } = options;
  if (typeof apiKey !== "string" || !/^ugk_(?:live|test)_[0-9A-Za-z]+$/.test(apiKey)) {
    throw new TypeError("apiKey must be an API key, which begins with ugk_live_ or ugk_test_.");
  }
  if (appName !== undefined && !PRINTABLE.test(appName)) {
    throw new TypeError("appName must be 1 to 255 printable ASCII characters.");
  }
  return {
    base: readBaseUrl(options.baseUrl, options.allowHttp === true),
    apiKey,
    limits: readLimits(options, { timeoutMs: 10_000, maxRetries: 3, maxElapsedMs: 60_000 }),
    maxConnections: readNumber("maxConnections", options.maxConnections ?? 50, 1),
    appName,
    agent,
  };
}

/** The limits of one call: what is told for it, else the client's. @throws TypeError */
export function readLimits(options: CallOptions | ClientOptions, otherwise: CallLimits): CallLimits {
  const timeoutMs = readNumber("timeoutMs", options.timeoutMs ?? otherwise.timeoutMs, 1);
  return {
    timeoutMs: Math.min(timeoutMs, LONGEST_MS),
    maxRetries: readNumber("maxRetries", options.maxRetries ?? otherwise.maxRetries, 0),
    maxElapsedMs: readNumber("maxElapsedMs", options.maxElapsedMs ?? otherwise.maxElapsedMs, 1),
  };
}

/** @throws TypeError */
export function readIdempotencyKey(key: string): string {
  if (PRINTABLE.test(key)) return key;
  throw new TypeError("idempotencyKey must be 1 to 255 printable ASCII characters.");
}

function readBaseUrl(baseUrl: string | URL, allowHttp: boolean): URL {
  if (!URL.canParse(String(baseUrl))) {
    throw new TypeError("baseUrl must be an address such as https://groups.example.com.");
  }
  const url = new URL(baseUrl);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new TypeError("baseUrl must begin with https:// or http://.");
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new TypeError("baseUrl must have no user name, no password, no query and no fragment.");
  }
  if (url.protocol === "http:" && !allowHttp && !LOOPBACK.test(url.hostname)) {
    throw new TypeError(
      "baseUrl must begin with https://: over http the API key can be read on the way. allowHttp permits it.",
    );
  }
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

function readNumber(name: string, value: number, least: number): number {
  if (typeof value === "number" && value >= least) return value;
  throw new TypeError(`${name} must be a number, at least ${least}.`);
}
