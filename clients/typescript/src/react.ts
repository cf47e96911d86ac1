// Browser code: no Node.js APIs. Needs React 18 or newer.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { createViewer, type ViewerGroup } from "./browser.js";

/** An embed session as your server returns it: the result of `createEmbedSession`, as JSON. */
export interface LoadedEmbedSession {
  readonly token: string;
  /** ISO 8601. */
  readonly expiresAt: string | Date;
}

export interface EmbedSessionState {
  /** The embed session; undefined until the first one is loaded. */
  readonly token: string | undefined;
  /** The error that `load` threw; undefined after a success. */
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Loads a new session now. @returns its token @throws what `load` throws */
  readonly renew: () => Promise<string>;
}

export interface UserGroupOptions {
  /** The service's base URL. Its `CORS_ORIGINS` must contain the page's origin. */
  readonly url: string;
  /** An embed session or the user group's token; undefined waits. Never an API key. */
  readonly token: string | undefined;
  /** Loads a new token after an expiry or a rotation: `renew` of `useEmbedSession`. */
  readonly renewToken?: (() => Promise<string>) | undefined;
}

export interface UserGroupState {
  /** The user group, also while it is read again; undefined until it was read once. */
  readonly userGroup: ViewerGroup | undefined;
  /** A ViewerError, or the error that `renewToken` threw; undefined after a success. */
  readonly error: unknown;
  readonly isLoading: boolean;
  /** Reads the user group again. */
  readonly reload: () => void;
}

/** Sessions are renewed this long before they expire. */
const RENEW_BEFORE_MS = 30_000;
/** Minimum and maximum delay of a renewal; browsers run longer timers at once. */
const MIN_DELAY_MS = 5_000;
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * Loads an embed session, and a new one before it expires.
 * @param load fetches a session from your server, such as `async () => (await fetch("/embed-session")).json()`
 */
export function useEmbedSession(load: () => Promise<LoadedEmbedSession>): EmbedSessionState {
  const latest = useLatest(load);
  const [session, setSession] = useState<LoadedEmbedSession>();
  const [error, setError] = useState<unknown>();

  const renew = useCallback(async () => {
    try {
      const loaded = await latest.current();
      setSession(loaded);
      setError(undefined);
      return loaded.token;
    } catch (failure) {
      setError(failure);
      throw failure;
    }
  }, [latest]);

  // A failure is part of the state.
  useEffect(() => void renew().catch(() => undefined), [renew]);
  useEffect(() => {
    if (!session) return;
    const remainingMs = new Date(session.expiresAt).getTime() - Date.now() - RENEW_BEFORE_MS;
    const delayMs = Math.min(Math.max(remainingMs, MIN_DELAY_MS), MAX_DELAY_MS);
    const timer = setTimeout(() => void renew().catch(() => undefined), delayMs);
    return () => clearTimeout(timer);
  }, [session, renew]);

  return { token: session?.token, error, isLoading: session === undefined && error === undefined, renew };
}

/** Reads the user group of a token, and again when the token changes. */
export function useUserGroup({ url, token, renewToken }: UserGroupOptions): UserGroupState {
  const latest = useLatest(renewToken);
  const canRenew = renewToken !== undefined;
  const [reads, setReads] = useState(0);
  const [state, setState] = useState<Pick<UserGroupState, "userGroup" | "error">>(NOTHING_READ);
  const [isLoading, setLoading] = useState(true);

  const viewer = useMemo(() => {
    if (token === undefined) return undefined;
    const renew = async () => latest.current?.() ?? token;
    return createViewer({ url, token, renewToken: canRenew ? renew : undefined });
  }, [url, token, canRenew, latest]);

  // `reads` requests another read.
  useEffect(() => {
    if (!viewer) return;
    const stop = new AbortController();
    const { signal } = stop;
    setLoading(true);
    const finish = (next: (state: Pick<UserGroupState, "userGroup" | "error">) => typeof state) => {
      if (signal.aborted) return;
      setState(next);
      setLoading(false);
    };
    viewer.read({ signal }).then(
      (userGroup) => finish(() => ({ userGroup, error: undefined })),
      (error: unknown) => finish(({ userGroup }) => ({ userGroup, error })),
    );
    return () => stop.abort();
  }, [viewer, reads]);

  return { ...state, isLoading, reload: useCallback(() => setReads((count) => count + 1), []) };
}

const NOTHING_READ = { userGroup: undefined, error: undefined };

/** Returns a reference to the latest value, so that callers may pass a new function with each render. */
function useLatest<Value>(value: Value): { readonly current: Value } {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  });
  return latest;
}
