// Browser code: no Node.js APIs. The build makes this one file, so that a page can load it without a bundler.
import { isRefusal, isTransient, ViewerError } from "./viewer/error.js";
import { createRequests, type ReadGroup } from "./viewer/requests.js";
import { createSessions, type GetSession, type Session } from "./viewer/session.js";
import { backOffMs, MIN_GAP_MS, pause, untilAborted } from "./viewer/timing.js";

export { ViewerError } from "./viewer/error.js";
export type { GetSession, ViewerSession } from "./viewer/session.js";

/** The user group of a page's viewer. */
export type ViewerGroup = ReadGroup & {
  /** The group's properties, and the variables of the embed session, which take precedence. */
  readonly variables: Readonly<Record<string, unknown>>;
};

export interface ViewerOptions {
  /** The service's base URL. Its `CORS_ORIGINS` must contain the page's origin. */
  readonly url: string;
  /**
   * Fetches a session from your server, such as `({ signal }) => fetch("/embed-session", { signal })`. A status of 401 or 403, also as
   * `status` of a thrown error, means that the user is signed out.
   */
  readonly getSession: GetSession;
  /** Timeout of `getSession` and of each request in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number | undefined;
}

/** The state of a page; a new object for each change. */
export interface ViewerState {
  /** The user group, also beside an error; undefined until it was read, and after it was deleted. */
  readonly userGroup: ViewerGroup | undefined;
  /** A ViewerError, or what `getSession` threw; undefined after a success. */
  readonly error: unknown;
  /** Whether there is no user group yet and it is being read. */
  readonly isLoading: boolean;
  /** Whether the user group may have changed, because the last attempt to connect failed. */
  readonly isStale: boolean;
  /** Whether your server or the service refused the user. Nothing is sent until `reload`, or until the page becomes visible again. */
  readonly signedOut: boolean;
}

export interface Viewer {
  /** The latest state. */
  readonly state: ViewerState;
  /**
   * Calls the listener with the state, now and after each change. All listeners share one connection, which is opened again when it
   * breaks. @returns a function that stops
   */
  watch(listener: (state: ViewerState) => void): () => void;
  /** Asks the service now, such as after an error or a sign-in; at most every 5 seconds, and only if there are listeners. */
  reload(): void;
  /**
   * Reads the group's current state, with up to two retries.
   * @throws ViewerError; what `getSession` throws; the signal's reason
   */
  read(options?: { readonly signal?: AbortSignal | undefined }): Promise<ViewerGroup>;
  /**
   * Calls `fetch` with the session as bearer token, and again with a new session if the first gets status 401: for GraphQL clients. Call only the
   * service, and your own services that verify the session. @throws ViewerError if both are refused; what `getSession` and `fetch` throw
   */
  readonly fetch: typeof fetch;
  /** Returns the token of the current session, for your own services that verify it. @throws as `read` does */
  getToken(): Promise<string>;
}

/** The state before the first attempt, and on a server. */
export const INITIAL_STATE: ViewerState = {
  userGroup: undefined,
  error: undefined,
  isLoading: true,
  isStale: false,
  signedOut: false,
};

/** A stream that lasted this long was no failure. */
const STABLE_MS = 10_000;

/** The browser's objects, whose types servers lack; undefined on a server. */
interface Page {
  readonly document?: Pick<EventTarget, "addEventListener"> & { readonly visibilityState: string };
  readonly addEventListener?: EventTarget["addEventListener"];
}

/** Creates a viewer: one per page, which all of its parts share. @throws TypeError that names the invalid option */
export function createViewer({ url, getSession, timeoutMs = 10_000 }: ViewerOptions): Viewer {
  const { query, follow } = createRequests(url, timeoutMs);
  const { withSession, getToken } = createSessions(getSession, timeoutMs);
  const listeners = new Set<() => void>();
  let state = INITIAL_STATE;
  let feed: AbortController | undefined;
  /** Ends the stream that delivers. */
  let cutStream: (() => void) | undefined;
  let checkedAt = 0;
  let failures = 0;
  let retryAt = 0;
  /** The earliest time of an attempt that someone asks for. */
  let earliestAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Ends the wait for the next attempt. */
  let proceed: (() => void) | undefined;

  function update(userGroup: ViewerGroup | undefined, error: unknown, isLoading = false): void {
    const isStale = userGroup !== undefined && error !== undefined;
    state = { userGroup, error, isLoading, isStale, signedOut: isRefusal(error) };
    for (const listener of listeners) listener();
  }

  function show(group: ReadGroup, { variables }: Session): ViewerGroup {
    const { userGroup: shown } = state;
    const isOlder = shown?.id === group.id && shown.version > group.version;
    const latest = isOlder ? shown : { ...group, variables: { ...group.properties, ...variables } };
    update(latest, undefined);
    return latest;
  }

  const readOnce = (signal?: AbortSignal) =>
    withSession(async (session) => show(await query(session, signal), session));

  /** Follows the group until the stream ends. @returns whether it lasted */
  async function connect(signal: AbortSignal): Promise<boolean> {
    const startedAt = performance.now();
    if (!state.userGroup) update(undefined, state.error, true);
    try {
      await withSession((session) =>
        follow(session, signal, (group, cut) => {
          cutStream = cut;
          show(group, session);
        }),
      );
      return performance.now() - startedAt >= STABLE_MS;
    } finally {
      cutStream = undefined;
    }
  }

  /** Reads the group where only streams fail. @returns the error that remains */
  async function readInstead(error: unknown, signal: AbortSignal): Promise<unknown> {
    // A proxy may hold events back, and the service limits the number of streams.
    const isOfStream = error instanceof ViewerError && (error.code === "timeout" || error.status === 429);
    if (!isOfStream) return error;
    return readOnce(signal).then(
      () => undefined,
      (failure: unknown) => failure,
    );
  }

  async function keepConnected(signal: AbortSignal): Promise<void> {
    for (;;) {
      await new Promise<void>((resolve) => {
        proceed = resolve;
        setTimer();
      });
      proceed = undefined;
      if (signal.aborted) return;
      let waitMs = 1_000 * Math.random();
      let gapMs = MIN_GAP_MS;
      try {
        failures = (await connect(signal)) ? 0 : failures + 1;
      } catch (error) {
        failures += 1;
        waitMs = error instanceof ViewerError ? error.retryAfter * 1000 : 0;
        gapMs = Math.max(gapMs, waitMs);
        const failure = await readInstead(error, signal);
        if (signal.aborted) return;
        const isDeleted = failure instanceof ViewerError && failure.code === "deleted";
        if (isDeleted || isRefusal(failure)) waitMs = Number.POSITIVE_INFINITY;
        if (failure) update(isDeleted ? undefined : state.userGroup, failure);
      }
      earliestAt = performance.now() + gapMs;
      retryAt = performance.now() + Math.max(waitMs, backOffMs(failures));
    }
  }

  function setTimer(): void {
    clearTimeout(timer);
    if (proceed && retryAt < Number.POSITIVE_INFINITY)
      timer = setTimeout(proceed, retryAt - performance.now());
  }

  /** Shortens the wait for the next attempt. */
  function retry(): void {
    retryAt = Math.min(retryAt, earliestAt);
    setTimer();
  }

  function reload(): void {
    retry();
    const now = performance.now();
    if (!cutStream || now - checkedAt < MIN_GAP_MS) return;
    checkedAt = now;
    // The stream may have broken unnoticed, such as during sleep.
    readOnce().catch(cutStream);
  }

  function start(): AbortController {
    const stop = new AbortController();
    const { signal } = stop;
    const page: Page = Object(globalThis);
    const onVisibilityChange = () => {
      if (page.document?.visibilityState === "visible") reload();
    };
    page.document?.addEventListener("visibilitychange", onVisibilityChange, { signal });
    page.addEventListener?.("online", reload, { signal });
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      proceed?.();
    });
    retry();
    void keepConnected(signal);
    return stop;
  }

  return {
    get state() {
      return state;
    },
    watch(listener) {
      const entry = () => call(listener, state);
      listeners.add(entry);
      entry();
      feed ??= start();
      return () => {
        listeners.delete(entry);
        // Not at once: React may subscribe again.
        setTimeout(() => {
          if (listeners.size > 0) return;
          feed?.abort();
          feed = undefined;
        });
      };
    },
    reload,
    async read({ signal } = {}) {
      for (let retries = 0; ; retries += 1) {
        signal?.throwIfAborted();
        try {
          const group = await untilAborted(readOnce(signal), signal);
          retry();
          return group;
        } catch (error) {
          signal?.throwIfAborted();
          if (!(error instanceof ViewerError) || retries === 2 || !isTransient(error)) throw error;
          await untilAborted(pause(Math.max(backOffMs(retries + 1), error.retryAfter * 1000)), signal);
        }
      }
    },
    async fetch(input, init) {
      const request = new Request(input, init);
      return withSession(async ({ token }) => {
        const authorized = request.clone();
        authorized.headers.set("authorization", `Bearer ${token}`);
        const reply = await fetch(authorized);
        if (reply.status !== 401) return reply;
        throw new ViewerError("unauthenticated", "The session was refused.", reply);
      });
    },
    getToken,
  };
}

/** Calls a listener, whose error becomes an uncaught one: the connection is not to blame. */
function call(listener: (state: ViewerState) => void, state: ViewerState): void {
  try {
    listener(state);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
