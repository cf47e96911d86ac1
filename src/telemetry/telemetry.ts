import { Tally } from "./tally.js";
import type { Tracing } from "./tracing.js";

/** Who is told what the service does. */
export interface Telemetry {
  readonly tally: Tally;
  /** Undefined where no traces are wanted: then they cost nothing. */
  readonly tracing: Tracing | undefined;
}

/** Counts, and traces nothing. */
export function countOnly(): Telemetry {
  return { tally: new Tally(), tracing: undefined };
}
