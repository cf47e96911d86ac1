// Browser code: no Node.js APIs. The build makes this one file, so that a page can load it without a bundler.
import { pauseUnlessAborted, untilAborted } from "./abort.js";
import { createAuthorizedFetch } from "./viewer/authorized-fetch.js";
import { isRefusal, isTransient, ViewerError } from "./viewer/error.js";
import { createRequests, endpointOf, type ReadGroup } from "./viewer/requests.js";
import { createSessions, type GetSession, type Session } from "./viewer/session.js";
import { backOffMs, createWaits, MIN_GAP_MS, onReturn, RETRY_GAP_MS, STALE_MS } from "./viewer/timing.js";

export { ViewerError } from "./viewer/error.js";
export type { GetSession, ViewerSession } from "./viewer/session.js";

/** The user group of a page's viewer. */
export type ViewerGroup = ReadGroup & {
  /** The defaults of the schema for properties, the group's properties, and the variables of the embed session: the latter take precedence. */
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
  /**
   * How long `fetch` repeats a request to the service while that is unreachable, in milliseconds. Default: until it succeeds, or its signal
   * is aborted.
   */
  readonly retryForMs?: number | undefined;
}

/** The state of a page; a new object for each change. */
export interface ViewerState {
  /** The user group, also beside an error; undefined until it was read, and after it was deleted. */
  readonly userGroup: ViewerGroup | undefined;
  /** A ViewerError, or what `getSession` threw; undefined after a success. */
  readonly error: unknown;
  /** Whether there is no user group yet and it is being read. */
  readonly isLoading: boolean;
  /** Whether the user group may have changed: its event stream has been gone for more than a second, or the last attempt to connect failed. */
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
  /** Asks the service now, such as after an error or a sign-in; only if there are listeners, and at most every 5 seconds after a refusal. */
  reload(): void;
  /**
   * Reads the group's current state, with up to two retries.
   * @throws ViewerError; what `getSession` throws; the signal's reason
   */
  read(options?: { readonly signal?: AbortSignal | undefined }): Promise<ViewerGroup>;
  /**
   * Calls `fetch` with the session as bearer token, and again with a new session if the first gets status 401: for GraphQL clients. A request to
   * the service is repeated while that is unreachable or answers 429, 502, 503 or 504, for `retryForMs`: a front end can only read there. Call only the
   * service, and your own services that verify the session. @throws ViewerError if both sessions are refused; what `getSession` and `fetch` throw
   */
  readonly fetch: typeof fetch;
  /**
   * Calls the listener, now and after each change, with whether the event stream that a GraphQL client has opened with `fetch` is gone for more than
   * a second, so that the page may show old data. @returns a function that stops
   */
  watchConnection(listener: (isStale: boolean) => void): () => void;
  /** Returns the token of the current session, for your own services that verify it. @throws as `read` does */
  getToken(): Promise<string>;
}

/** A stream that lasted this long was no failure. */
const STABLE_MS = 2_000;

/** The state before the first attempt, and on a server. */
export const INITIAL_STATE: ViewerState = {
  userGroup: undefined,
  error: undefined,
  isLoading: true,
  isStale: false,
  signedOut: false,
};

/** Creates a viewer: one per page, which all of its parts share. @throws TypeError that names the invalid option */
export function createViewer({
  url,
  getSession,
  timeoutMs = 10_000,
  retryForMs = Number.POSITIVE_INFINITY,
}: ViewerOptions): Viewer {
  const endpoint = endpointOf(url);
  const { query, follow } = createRequests(endpoint, timeoutMs);
  const { withSession, getToken } = createSessions(getSession, timeoutMs);
  const waits = createWaits();
  const listeners = new Set<() => void>();
  let state = INITIAL_STATE;
  let feed: AbortController | undefined;
  /** Ends the stream that delivers. */
  let cutStream: (() => void) | undefined;
  let checkedAt = 0;
  /** The earliest time of the next attempt. */
  let earliestAt = 0;
  let staleTimer: ReturnType<typeof setTimeout> | undefined;

  function update(
    userGroup: ViewerGroup | undefined,
    error: unknown,
    { isLoading = false, isGone = false } = {},
  ): void {
    clearTimeout(staleTimer);
    const isStale = userGroup !== undefined && (isGone || error !== undefined);
    state = { userGroup, error, isLoading, isStale, signedOut: isRefusal(error) };
    for (const listener of listeners) listener();
  }

  function show(group: ReadGroup, { variables }: Session): ViewerGroup {
    const { userGroup: shown } = state;
    const isOlder = shown?.id === group.id && shown.version > group.version;
    const latest = isOlder
      ? shown
      : { ...group, variables: { ...group.variableDefaults, ...group.properties, ...variables } };
    update(latest, undefined);
    return latest;
  }

  const readOnce = (signal?: AbortSignal) =>
    withSession(async (session) => show(await query(session, signal), session));

  /** Follows the group until the stream ends. @returns whether it lasted */
  async function connect(signal: AbortSignal): Promise<boolean> {
    const startedAt = performance.now();
    if (!state.userGroup) update(undefined, state.error, { isLoading: true });
    try {
      await withSession((session) =>
        follow(session, signal, (group, cut) => {
          cutStream = cut;
          show(group, session);
        }),
      );
      return performance.now() - startedAt >= STABLE_MS;
    } finally {
      if (cutStream)
        staleTimer = setTimeout(() => update(state.userGroup, state.error, { isGone: true }), STALE_MS);
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
    let waitMs = earliestAt - performance.now();
    for (let failures = 0; ; ) {
      await waits.wait(waitMs, earliestAt - performance.now(), signal);
      let gapMs = RETRY_GAP_MS;
      try {
        failures = (await connect(signal)) ? 0 : failures + 1;
        waitMs = failures === 0 ? RETRY_GAP_MS * Math.random() : backOffMs(failures);
      } catch (error) {
        failures += 1;
        const askedMs = error instanceof ViewerError ? error.retryAfter * 1000 : 0;
        waitMs = Math.max(askedMs, backOffMs(failures));
        gapMs = Math.max(gapMs, askedMs);
        const failure = await readInstead(error, signal);
        signal.throwIfAborted();
        const isDeleted = failure instanceof ViewerError && failure.code === "deleted";
        if (isDeleted || isRefusal(failure)) {
          waitMs = Number.POSITIVE_INFINITY;
          gapMs = Math.max(gapMs, MIN_GAP_MS);
        }
        if (failure) update(isDeleted ? undefined : state.userGroup, failure);
      }
      earliestAt = performance.now() + Math.min(gapMs, waitMs);
    }
  }

  /** Ends the stream if it has broken unnoticed, such as during sleep. */
  function checkStream(): void {
    const now = performance.now();
    if (!cutStream || now - checkedAt < MIN_GAP_MS) return;
    checkedAt = now;
    readOnce().catch(cutStream);
  }

  function start(): AbortController {
    const stop = new AbortController();
    const { signal } = stop;
    onReturn(checkStream, signal);
    keepConnected(signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    return stop;
  }

  const authorized = createAuthorizedFetch({ endpoint, withSession, waits, timeoutMs, retryForMs });

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
    reload() {
      waits.wake();
      checkStream();
    },
    async read({ signal } = {}) {
      for (let retries = 0; ; retries += 1) {
        signal?.throwIfAborted();
        try {
          const group = await untilAborted(readOnce(signal), signal);
          waits.wake();
          return group;
        } catch (error) {
          signal?.throwIfAborted();
          if (!(error instanceof ViewerError) || retries === 2 || !isTransient(error)) throw error;
          await pauseUnlessAborted(Math.max(backOffMs(retries + 1), error.retryAfter * 1000), signal);
        }
      }
    },
    ...authorized,
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
