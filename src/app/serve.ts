import { constants } from "node:os";
import { type ProcessEnvironment, readConfig } from "../config/config.js";
import { OperatorError } from "../domain/shared/operator-error.js";
import { startApp } from "./app.js";
import { startUpText } from "./banner.js";
import { endSoon, reportFailure } from "./failure-report.js";
import { openLog } from "./log-destination.js";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** PID 1 of a container has no default signal handling, so it ignores signals without a listener. */
const isFirstProcess = process.pid === 1;

/** npm forwards a signal that its process group has already received: within this time it is not a second request to stop. */
const REPEATED_SIGNAL_MS = 1000;

/**
 * Runs the service until it receives SIGINT or SIGTERM.
 * @returns the exit code: 1, with the reason on stderr, if it could not start or lost its embedded database
 */
export async function serve(environment: ProcessEnvironment): Promise<number> {
  const code = await reportFailure(async () => {
    const config = readConfig(environment);
    if (isFirstProcess) listenTo(exitImmediately);
    // The log goes to stderr: the start-up text on stdout may contain secrets.
    const app = await startApp(config, openLog());
    const stopped = stopSignal();
    process.stdout.write(startUpText(app, config));
    const serverEnd = await Promise.race([stopped, app.serverEnded]);
    // No delay after the loss of the database: requests cannot be served.
    await app.close(serverEnd === undefined ? config.shutdownDelayMs : 0);
    // Exit, so that a supervisor restarts the process, instead of returning 503 forever.
    if (serverEnd !== undefined)
      throw new OperatorError(`The embedded PostgreSQL server stopped unexpectedly (${serverEnd}).`);
  });
  endSoon(code);
  return code;
}

/** Resolves at the first SIGINT or SIGTERM; a later one terminates the process immediately. */
async function stopSignal(): Promise<void> {
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
