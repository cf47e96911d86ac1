import pino from "pino";
import type { LogStream } from "./app.js";

const STANDARD_ERROR = 2;
/** What waits for a reader that does not read; beyond, lines are dropped. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Standard error, written beside the work: nothing waits for whoever reads the log. What is left goes out when the process ends. */
export function openLog(): LogStream {
  const log = pino.destination({ dest: STANDARD_ERROR, sync: false, maxLength: MAX_BYTES });
  process.on("exit", () => log.flushSync());
  return log;
}
