import { constants } from "node:os";
import { type ProcessEnvironment, readConfig } from "../config/config.js";
import { OperatorError } from "../domain/shared/operator-error.js";
import { startApp } from "./app.js";
import { startUpText } from "./banner.js";
import { endSoon, reportFailure } from "./failure-report.js";
import { openLog } from "./log-destination.js";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The first process of a container gets no signal that it does not listen to. */
const isFirstProcess = process.pid === 1;

/** npm passes on a signal that its whole process group has got already: that is no second wish to stop. */
const REPEATED_SIGNAL_MS = 1000;

/**
 * Runs the service until a signal ends it.
 * @returns the exit code: 1 when it could not start or lost its database, with the reason on standard error
 */
export async function serve(environment: ProcessEnvironment): Promise<number> {
  const code = await reportFailure(async () => {
    const config = readConfig(environment);
    if (isFirstProcess) listenTo(endAtOnce);
    // The log goes to standard error; standard output has the start-up text, which may hold secrets.
    const app = await startApp(config, openLog());
    const stopped = stopSignal();
    process.stdout.write(startUpText(app, config));
    const lost = await Promise.race([stopped, app.serverEnded]);
    // Without its database it has nothing to go on with.
    await app.close(lost === undefined ? config.shutdownDelayMs : 0);
    // Better to end, and be started again, than to answer 503 for ever.
    if (lost !== undefined) throw new OperatorError(`The embedded PostgreSQL server has ended (${lost}).`);
  });
  endSoon(code);
  return code;
}

/** Resolves at the first SIGINT or SIGTERM; a later one ends the process at once, as if nobody listened. */
async function stopSignal(): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = () => {
      resolve();
      setTimeout(() => {
        if (isFirstProcess) listenTo(endAtOnce);
        for (const signal of SIGNALS) process.off(signal, stop);
      }, REPEATED_SIGNAL_MS).unref();
    };
    for (const signal of SIGNALS) process.off(signal, endAtOnce);
    listenTo(stop);
  });
}

function listenTo(listener: (signal: NodeJS.Signals) => void): void {
  for (const signal of SIGNALS) process.on(signal, listener);
}

function endAtOnce(signal: NodeJS.Signals): void {
  process.exit(128 + constants.signals[signal]);
}
