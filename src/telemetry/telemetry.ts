import type { Tracer } from "@opentelemetry/api";
import { Metrics } from "./metrics.js";

export interface Telemetry {
  readonly metrics: Metrics;
  /** Undefined when tracing is off, so that it costs nothing. */
  readonly tracing: Tracer | undefined;
}

/** Creates telemetry with metrics and without tracing. */
export function countOnly(): Telemetry {
  return { metrics: new Metrics(), tracing: undefined };
}
