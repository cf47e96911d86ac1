/** Maximum delay of a timer: above it, runtimes wait for a millisecond. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Rejects when a signal is aborted, even if the task ignores it. */
export async function untilAborted<T>(task: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  let stop: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal?.reason);
    signal?.addEventListener("abort", stop);
  });
  return Promise.race([task, aborted]).finally(() => stop && signal?.removeEventListener("abort", stop));
}

/** Waits, at most the maximum of a timer. @throws the signal's reason */
export async function pauseUnlessAborted(
  milliseconds: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(milliseconds, MAX_TIMER_MS));
  });
  await untilAborted(over, signal).finally(() => clearTimeout(timer));
}
