import { type ProcessEnvironment, readConfig } from "../config/config.js";
import { OperatorError } from "../domain/shared/operator-error.js";
import { startApp } from "./app.js";
import { startUpText } from "./banner.js";
import { endSoon, reportFailure } from "./failure-report.js";
import { openLog } from "./log-destination.js";
import { exitOnSignals, stopSignal } from "./stop-signal.js";

/**
 * Runs the service until it receives SIGINT or SIGTERM.
 * @param isJson whether to report errors as JSON
 * @returns the exit code: that of the error on stderr when it could not start or its embedded database ended
 */
export async function serve(environment: ProcessEnvironment, isJson = false): Promise<number> {
  const code = await reportFailure(async () => {
    const config = readConfig(environment);
    exitOnSignals();
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
  }, isJson);
  endSoon(code);
  return code;
}
