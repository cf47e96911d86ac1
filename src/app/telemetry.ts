import type { TraceSettings } from "../telemetry/export/trace-settings.js";
import { Metrics } from "../telemetry/metrics.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import { packageVersion } from "./package-version.js";

/** Maximum wait for the export of the remaining spans at exit. */
const FLUSH_MS = 2_000;

/** Telemetry and version of the process. */
export interface ProcessTelemetry {
  readonly telemetry: Telemetry;
  readonly version: string;
  /** Sets the callback for failing trace exports; called at the first of consecutive failures. */
  onExportFailure(listener: (reason: string) => void): void;
  /** Exports the remaining spans. */
  close(): Promise<void>;
}

/** @param settings undefined disables tracing; then its modules are not loaded */
export async function openTelemetry(settings: TraceSettings | undefined): Promise<ProcessTelemetry> {
  const metrics = new Metrics();
  const version = await packageVersion();
  let reportFailure: (reason: string) => void = () => undefined;
  const rest = {
    version,
    onExportFailure(report: (reason: string) => void) {
      reportFailure = report;
    },
  };
  if (!settings) return { ...rest, telemetry: { metrics, tracing: undefined }, close: async () => undefined };
  const { createSpanExporter, createTracing } = await import("../telemetry/export/otlp-tracing.js");
  const exporter = createSpanExporter(settings, metrics, (reason) => reportFailure(reason));
  const { tracing, close } = createTracing(exporter, settings, version);
  return { ...rest, telemetry: { metrics, tracing }, close: () => close(FLUSH_MS) };
}
