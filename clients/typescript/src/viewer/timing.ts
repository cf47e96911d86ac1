/** Minimum time between a failure and a request that a caller or the page asks for. */
export const MIN_GAP_MS = 5_000;

/** Returns a random wait that doubles with each failure, from a second to a minute. */
export function backOffMs(failures: number): number {
  return failures && Math.min(30_000, 500 * 2 ** failures) * (1 + Math.random());
}

export async function pause(milliseconds: number): Promise<void> {
  if (milliseconds > 0) await new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Rejects when a signal is aborted, even if the task ignores it. */
export async function untilAborted<T>(task: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal?.reason);
    signal?.addEventListener("abort", stop);
  });
  return Promise.race([task, aborted]).finally(() => stop && signal?.removeEventListener("abort", stop));
}
