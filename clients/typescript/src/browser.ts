// One file without imports, so that a page can load it without a bundler. Browser code: no Node.js APIs.
import type { ViewerQuery } from "./generated/operations.js";

type Viewed = NonNullable<ViewerQuery["viewer"]>;

/** The user group of a page's viewer. */
export type ViewerGroup = NonNullable<Viewed["userGroup"]> & {
  /** The group's properties, and the variables of the embed session, which take precedence. */
  readonly variables: Readonly<Record<string, unknown>>;
};

export interface ViewerOptions {
  /** The service's base URL. Its `CORS_ORIGINS` must contain the page's origin. */
  readonly url: string;
  /** An embed session, or the user group's token, `ugt_…`, rendered into the page by your server. Never an API key. */
  readonly token: string;
  /** Fetches a new embed session, or the group's current token, from your server after an expiry or a rotation. */
  readonly renewToken?: (() => Promise<string>) | undefined;
  /** Timeout of one attempt in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Maximum number of retries. Default: 2. */
  readonly maxRetries?: number | undefined;
}

export interface Viewer {
  /**
   * Reads the group's current state.
   * @throws ViewerError; what `renewToken` throws; the signal's reason
   */
  read(options?: { readonly signal?: AbortSignal | undefined }): Promise<ViewerGroup>;
}

/** The group could not be read. */
export class ViewerError extends Error {
  override readonly name = "ViewerError";
  /** The service's error code in lower case; `network` if there was no reply, `timeout` if it was late. */
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

const QUERY =
  "query Viewer{viewer{embedSession{variables}userGroup{name properties mapping{schemaId dataSource{providedId}}}}}";
/** Maximum wait before a retry. */
const MAX_WAIT_S = 10;

/** Creates a viewer for a token's group. @throws TypeError that names the invalid option */
export function createViewer(options: ViewerOptions): Viewer {
  const { renewToken, timeoutMs = 10_000, maxRetries = 2 } = options;
  const endpoint = endpointOf(options.url);
  let token = checkToken(options.token);
  let renewal: Promise<string> | undefined;

  /** Renews the token, once for all concurrent callers. */
  async function renew(requestToken: () => Promise<string>): Promise<void> {
    renewal ??= requestToken().finally(() => {
      renewal = undefined;
    });
    token = checkToken(await renewal);
  }

  async function readWithRenewal(signal: AbortSignal | undefined): Promise<ViewerGroup> {
    const used = token;
    try {
      return await query(endpoint, used, timeoutMs, signal);
    } catch (error) {
      if (!renewToken || codeOf(error) !== "unauthenticated") throw error;
      // A concurrent call may already have renewed it.
      if (token === used) await renew(renewToken);
      return query(endpoint, token, timeoutMs, signal);
    }
  }

  return {
    async read({ signal } = {}) {
      for (let retry = 1; ; retry += 1) {
        try {
          return await readWithRenewal(signal);
        } catch (error) {
          signal?.throwIfAborted();
          if (!(error instanceof ViewerError) || retry > maxRetries || !isTransient(error)) throw error;
          const jitter = Math.random() * 250 * 2 ** retry;
          await pause(error.retryAfter * 1000 + jitter, signal);
        }
      }
    },
  };
}

async function query(
  endpoint: string,
  token: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<ViewerGroup> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const reply = await fetch(endpoint, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ query: QUERY }),
      credentials: "omit",
      referrerPolicy: "no-referrer",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    return readReply(reply, await reply.text());
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof ViewerError) throw cause;
    if (timeout.aborted)
      throw new ViewerError("timeout", `The service did not reply within ${timeoutMs} ms.`);
    // Browsers do not distinguish network errors from a CORS refusal.
    throw new ViewerError(
      "network",
      "The service is unreachable, or its `CORS_ORIGINS` does not include this page's origin.",
      {},
      { cause },
    );
  }
}

function readReply(reply: Response, text: string): ViewerGroup {
  const body = parse(text);
  const { userGroup, embedSession } = body?.data?.viewer ?? {};
  if (reply.ok && userGroup && !body?.errors) {
    return { ...userGroup, variables: { ...userGroup.properties, ...embedSession?.variables } };
  }
  const [error] = body?.errors ?? [];
  const { code, retryAfter } = error?.extensions ?? {};
  throw new ViewerError(
    code?.toLowerCase() ?? "unexpected_reply",
    error?.message ?? `The reply with HTTP status ${reply.status} is not from the user group service.`,
    { status: reply.status, retryAfter: retryAfter ?? (Number(reply.headers.get("retry-after")) || 0) },
  );
}

/** A reply of the service. Properties are unknown: something else may have answered. */
interface Reply {
  readonly data?: ViewerQuery | null;
  readonly errors?: readonly {
    readonly message?: string;
    readonly extensions?: { readonly code?: string; readonly retryAfter?: number };
  }[];
}

function parse(text: string): Reply | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof ViewerError ? error.code : undefined;
}

function isTransient({ code, status, retryAfter }: ViewerError): boolean {
  const isTransientCode = code === "network" || code === "timeout" || status === 429 || status >= 500;
  return isTransientCode && retryAfter <= MAX_WAIT_S;
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

function endpointOf(url: string): string {
  const { protocol, href } = URL.canParse(url) ? new URL(url) : {};
  if (href && (protocol === "https:" || protocol === "http:")) return `${href.replace(/\/$/, "")}/graphql`;
  throw new TypeError("`url` must be a URL that begins with https:// or http://.");
}

/** Never send an API key from a page: it can read every group. Embed sessions and imported tokens may have any other form. */
function checkToken(token: string): string {
  if (typeof token === "string" && /^(?!ugk_)[\x21-\x7e]{1,8192}$/.test(token)) return token;
  throw new TypeError("`token` must be an embed session or a user group token, not an API key.");
}
