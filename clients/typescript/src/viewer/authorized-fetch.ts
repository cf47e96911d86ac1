import { isRefusal, isTransient, ViewerError } from "./error.js";
import type { createSessions } from "./session.js";
import { backOffMs, RETRY_GAP_MS, STALE_MS, type Waits } from "./timing.js";

/** Statuses of a reply that may be another one soon, of the service or of a proxy before it. */
const TEMPORARY = new Set([429, 502, 503, 504]);

interface AuthorizedFetchOptions {
  /** The service's GraphQL endpoint: a front end can only read there, so that every request may be repeated. */
  readonly endpoint: string;
  readonly withSession: ReturnType<typeof createSessions>["withSession"];
  readonly waits: Waits;
  /** Timeout of the start of a reply. */
  readonly timeoutMs: number;
  /** How long a request is repeated. */
  readonly retryForMs: number;
}

/** Creates a `fetch` that authenticates, and repeats requests to the service while it is unreachable. */
export function createAuthorizedFetch(options: AuthorizedFetchOptions) {
  const { endpoint, withSession, waits, timeoutMs, retryForMs } = options;
  const connection = createConnection();

  async function send(request: Request): Promise<Response> {
    return withSession(async ({ token }) => {
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), timeoutMs);
      const signal = AbortSignal.any([request.signal, limit.signal]);
      const authorized = new Request(request.clone(), { signal });
      authorized.headers.set("authorization", `Bearer ${token}`);
      try {
        const reply = await fetch(authorized);
        if (reply.status !== 401) return reply;
        throw new ViewerError("unauthenticated", "The session was refused.", reply);
      } catch (cause) {
        request.signal.throwIfAborted();
        if (limit.signal.aborted)
          throw new ViewerError("timeout", `There was no reply within ${timeoutMs} ms.`, {}, { cause });
        throw cause;
      } finally {
        clearTimeout(timer);
      }
    });
  }

  async function sendToService(request: Request): Promise<Response> {
    const startedAt = performance.now();
    for (let failures = 1; ; failures += 1) {
      const outcome = await send(request).catch((error: unknown) => ({ error }));
      request.signal.throwIfAborted();
      const isOver = performance.now() - startedAt >= retryForMs;
      if (outcome instanceof Response) {
        if (isOver || !TEMPORARY.has(outcome.status)) return connection.follow(outcome, request.signal);
        await outcome.body?.cancel();
      } else if (isOver || !mayPass(outcome.error)) throw outcome.error;
      const waitMs = outcome instanceof Response ? Number(outcome.headers.get("retry-after")) * 1000 : 0;
      await waits.wait(Math.max(backOffMs(failures), waitMs || 0), RETRY_GAP_MS, request.signal);
    }
  }

  return {
    async fetch(input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> {
      const request = new Request(input, init);
      return request.url.split("?")[0] === endpoint ? sendToService(request) : send(request);
    },
    watchConnection: connection.watch,
  };
}

/** Returns whether a failed request may succeed later. Browsers report an unreachable server as TypeError. */
function mayPass(error: unknown): boolean {
  if (error instanceof ViewerError)
    return isTransient(error) || (error.code === "no_session" && error.status === 0);
  return error instanceof TypeError && !isRefusal(error);
}

/** Follows the event streams of a GraphQL client. */
function createConnection() {
  const listeners = new Set<(isStale: boolean) => void>();
  let streams = 0;
  let isStale = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function set(value: boolean): void {
    clearTimeout(timer);
    if (value === isStale) return;
    isStale = value;
    for (const listener of listeners) listener(isStale);
  }

  /** Returns the reply, whose body reports its end if it is a stream. A stream that the page ends is not missed. */
  function follow(reply: Response, signal: AbortSignal): Response {
    const { body, headers, status } = reply;
    if (!body || !reply.ok || !headers.get("content-type")?.startsWith("text/event-stream")) return reply;
    streams += 1;
    set(false);
    const reader = body.getReader();
    const end = (isMissed: boolean) => {
      streams -= 1;
      if (streams === 0 && isMissed) timer = setTimeout(() => set(true), STALE_MS);
    };
    let isComplete = false;
    const followed = new ReadableStream<Uint8Array>({
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (value) isComplete ||= new TextDecoder().decode(value).includes("event: complete");
          if (value) controller.enqueue(value);
          if (!done) return;
          end(!isComplete);
          controller.close();
        } catch (error) {
          end(!signal.aborted);
          controller.error(error);
        }
      },
      async cancel(reason) {
        end(false);
        await reader.cancel(reason);
      },
    });
    return new Response(followed, { headers, status });
  }

  return {
    follow,
    watch(listener: (isStale: boolean) => void): () => void {
      listeners.add(listener);
      listener(isStale);
      return () => void listeners.delete(listener);
    },
  };
}
