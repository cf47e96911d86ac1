import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** PID 1 of a container has no default signal handling, so it ignores signals without a listener. */
const isFirstProcess = process.pid === 1;

/** npm forwards a signal that its process group has already received: within this time it is not a second request to stop. */
const REPEATED_SIGNAL_MS = 1000;

/** Lets SIGINT and SIGTERM end the process until `stopSignal` is called. */
export function exitOnSignals(): void {
  if (isFirstProcess) listenTo(exitImmediately);
}

/** Resolves at the first SIGINT or SIGTERM; a later one terminates the process immediately. */
export async function stopSignal(): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = () => {
      resolve();
      setTimeout(() => {
        if (isFirstProcess) listenTo(exitImmediately);
        for (const signal of SIGNALS) process.off(signal, stop);
      }, REPEATED_SIGNAL_MS).unref();
    };
    for (const signal of SIGNALS) process.off(signal, exitImmediately);
    listenTo(stop);
  });
}

function listenTo(listener: (signal: NodeJS.Signals) => void): void {
  for (const signal of SIGNALS) process.on(signal, listener);
}

function exitImmediately(signal: NodeJS.Signals): void {
  process.exit(128 + constants.signals[signal]);
}
