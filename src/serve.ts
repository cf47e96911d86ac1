import { constants } from "node:os";
import { startApp } from "./app.js";
import { type ProcessEnvironment, readConfig } from "./config.js";
import { OperatorError } from "./domain/operator-error.js";
import { openLog } from "./log-destination.js";
import { startUpText } from "./start-up-text.js";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The first process of a container gets no signal that it does not listen to. */
const isFirstProcess = process.pid === 1;

/** npm passes on a signal that its whole process group has got already: that is no second wish to stop. */
const REPEATED_SIGNAL_MS = 1000;

/** What a command that is over may still need to end by itself. */
const AFTER_END_MS = 500;

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

/** Runs a command. @returns 0, or 1 after telling an expected failure without its stack */
export async function reportFailure(command: () => Promise<void>): Promise<number> {
  try {
    await command();
    return 0;
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    process.stderr.write(`${error.message}\n`);
    endSoon(1);
    return 1;
  }
}

/** Ends the process even if a connection stays open, half made or half closed, which would keep it as long as nobody answers there. */
function endSoon(code: number): void {
  setTimeout(() => process.exit(code), AFTER_END_MS).unref();
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
