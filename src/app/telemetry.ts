import type { TraceSettings } from "../telemetry/export/trace-settings.js";
import { Metrics } from "../telemetry/metrics.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import { packageVersion } from "./package-version.js";

/** How long spans that are left are waited for when the process ends. */
const FLUSH_MS = 2_000;

/** What a process counts and traces, and what it is. */
export interface ProcessTelemetry {
  readonly telemetry: Telemetry;
  readonly version: string;
  /** Says who is told when traces do not get to their collector any more; once, until they do again. */
  reportFaults(onFault: (reason: string) => void): void;
  /** Sends what is left, for as long as it makes sense to wait. */
  close(): Promise<void>;
}

/** @param settings undefined: nothing is traced, and nothing for it is loaded */
export async function openTelemetry(settings: TraceSettings | undefined): Promise<ProcessTelemetry> {
  const metrics = new Metrics();
  const version = await packageVersion();
  let onFault: (reason: string) => void = () => undefined;
  const rest = {
    version,
    reportFaults(report: (reason: string) => void) {
      onFault = report;
    },
  };
  if (!settings) return { ...rest, telemetry: { metrics, tracing: undefined }, close: async () => undefined };
  const { createTracing } = await import("../telemetry/export/otlp-tracing.js");
  const { createSpanExporter } = await import("../telemetry/export/span-exporter.js");
  const exporter = createSpanExporter(settings, metrics, (reason) => onFault(reason));
  const tracing = createTracing(exporter, settings, version);
  return { ...rest, telemetry: { metrics, tracing }, close: () => tracing.close(FLUSH_MS) };
}
