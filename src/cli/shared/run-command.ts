/** Runs a command, reports an expected failure, and keeps the exit code, which is the number that the command returns, if any. */
export type RunCommand = (command: () => Promise<unknown>) => Promise<void>;

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The exit code of a command that a signal has stopped. */
export const INTERRUPTED = 130;

/** Lets a command stop by itself at the first signal; a second one ends the process at once. */
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
