import { ExportResultCode } from "@opentelemetry/core";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import type { SpanExporter } from "@opentelemetry/sdk-trace";
import type { Metrics } from "../metrics.js";
import type { TraceSettings } from "./trace-settings.js";

const TIMEOUT_MS = 5_000;
const MAX_IN_FLIGHT = 2;

/**
 * Creates the exporter that sends spans to a collector.
 * @param onFailure called at the first of consecutive failures
 */
export function createSpanExporter(
  { endpoint, protocol, headers }: TraceSettings,
  { spanExports }: Metrics,
  onFailure: (reason: string) => void,
): SpanExporter {
  const options = {
    url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
    headers: { ...headers },
    timeoutMillis: TIMEOUT_MS,
    concurrencyLimit: MAX_IN_FLIGHT,
  };
  const exporter = protocol === "http/json" ? new JsonExporter(options) : new ProtobufExporter(options);
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const isSent = result.code === ExportResultCode.SUCCESS;
        spanExports.inc({ outcome: isSent ? "sent" : "failed" });
        if (!isSent && !isFailing) onFailure(result.error?.message ?? "no reason reported");
        isFailing = !isSent;
        done(result);
      });
    },
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
