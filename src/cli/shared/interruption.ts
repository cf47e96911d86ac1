const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Exit code of a command that was interrupted by a signal. */
export const EXIT_INTERRUPTED = 130;

/** Aborts a command gracefully on the first signal; a second one ends the process immediately. */
export async function interruptible<Result>(
  command: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    return await command(stop.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}
