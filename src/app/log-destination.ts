import pino from "pino";
import type { LogStream } from "./app.js";

const STANDARD_ERROR = 2;
/** Maximum size of the buffer for a slow reader; further lines are dropped. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Opens the log on stderr. Writes are asynchronous, so a slow reader blocks nothing; the rest is flushed at exit. */
export function openLog(): LogStream {
  const log = pino.destination({ dest: STANDARD_ERROR, sync: false, maxLength: MAX_BYTES });
  process.on("exit", () => log.flushSync());
  return log;
}
