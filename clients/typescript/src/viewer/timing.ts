import { untilAborted } from "../abort.js";

/** Minimum time between a refusal and a request that a caller or the page asks for. */
export const MIN_GAP_MS = 5_000;
/** The same between a failure that may be over and the next request. */
export const RETRY_GAP_MS = 1_000;
/** A stream that is gone for this long leaves old data on the page. */
export const STALE_MS = 1_500;

/** Number of waits that stay short: about half a minute. */
const SHORT_WAITS = 20;

/** Returns a random wait before an attempt: one to two seconds after the first failures, then up to ten. */
export function backOffMs(failures: number): number {
  const longestMs = Math.min(10_000, 2_000 * 2 ** Math.max(0, failures - SHORT_WAITS));
  return (longestMs * (1 + Math.random())) / 2;
}

/** The browser's objects, whose types servers lack; undefined on a server. */
interface Page {
  readonly document?: Pick<EventTarget, "addEventListener"> & { readonly visibilityState: string };
  readonly navigator?: { readonly onLine?: boolean };
  readonly addEventListener?: EventTarget["addEventListener"];
}

/** Calls a function when the page becomes visible or gets online, until the signal is aborted. */
export function onReturn(act: () => void, signal: AbortSignal): void {
  const page: Page = Object(globalThis);
  page.document?.addEventListener("visibilitychange", () => isHidden() || act(), { signal });
  page.addEventListener?.("online", act, { signal });
}

function isHidden(): boolean {
  const { document }: Page = Object(globalThis);
  return document?.visibilityState === "hidden";
}

function isOffline(): boolean {
  const { navigator }: Page = Object(globalThis);
  return navigator?.onLine === false;
}

/** Creates waits for the next attempt. */
export function createWaits() {
  const wakers = new Set<() => void>();

  /**
   * Waits while the page is visible; a hidden one waits until it is shown, and an offline one for the longest time. `wake`, and the page's
   * return, end the wait, but not before `leastMs`. @throws the signal's reason
   */
  async function wait(milliseconds: number, leastMs: number, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    // Browsers may be wrong about being offline, as with a service on the same machine: still try.
    const waitMs =
      milliseconds > 0 && isOffline()
        ? Math.max(milliseconds, backOffMs(Number.POSITIVE_INFINITY))
        : milliseconds;
    const ended = new AbortController();
    let isWoken = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const until = new Promise<void>((resolve) => {
      const check = () => {
        clearTimeout(timer);
        const leftMs = startedAt + (isWoken ? leastMs : waitMs) - performance.now();
        if (leftMs > 0 && leftMs < Number.POSITIVE_INFINITY) timer = setTimeout(check, leftMs);
        else if (leftMs <= 0 && (isWoken || !isHidden())) resolve();
      };
      const wakeUp = () => {
        isWoken = true;
        check();
      };
      wakers.add(wakeUp);
      ended.signal.addEventListener("abort", () => wakers.delete(wakeUp));
      onReturn(wakeUp, ended.signal);
      check();
    });
    try {
      signal.throwIfAborted();
      await untilAborted(until, signal);
    } finally {
      clearTimeout(timer);
      ended.abort();
    }
  }

  /** Ends all waits. */
  function wake(): void {
    for (const wakeUp of wakers) wakeUp();
  }

  return { wait, wake };
}

export type Waits = ReturnType<typeof createWaits>;
