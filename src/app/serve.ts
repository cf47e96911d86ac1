import { type ProcessEnvironment, readConfig } from "../config/config.js";
import { OperatorError } from "../domain/shared/operator-error.js";
import { startApp } from "./app.js";
import { startUpText } from "./banner.js";
import { endSoon, reportFailure } from "./failure-report.js";
import { openLog } from "./log-destination.js";
import { exitOnSignals, stopSignal } from "./stop-signal.js";
import { servePrimary } from "./workers/primary.js";
import { WorkerLink } from "./workers/worker-link.js";
import { WORKER_VARIABLE } from "./workers/worker-pool.js";

/**
 * Runs the service until it receives SIGINT or SIGTERM.
 * @param isJson whether to report errors as JSON
 * @returns the exit code: that of the error on stderr when it could not start or its embedded database ended
 */
export async function serve(environment: ProcessEnvironment, isJson = false): Promise<number> {
  const code = await reportFailure(async () => {
    const config = readConfig(environment);
    exitOnSignals();
    const worker = environment[WORKER_VARIABLE];
    if (worker !== undefined) {
      const link = new WorkerLink(Number(worker));
      const app = await startApp(config, openLog(), link);
      const stopped = stopSignal();
      link.reportListening(app.url);
      await stopped;
      return app.close(config.shutdownDelayMs);
    }
    if (config.workers > 1) return servePrimary(config);
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
