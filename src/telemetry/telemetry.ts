import { Metrics } from "./metrics.js";
import type { Tracing } from "./tracing.js";

/** Who is told what the service does. */
export interface Telemetry {
  readonly metrics: Metrics;
  /** Undefined where no traces are wanted: then they cost nothing. */
  readonly tracing: Tracing | undefined;
}

/** Counts, and traces nothing. */
export function countOnly(): Telemetry {
  return { metrics: new Metrics(), tracing: undefined };
}
