import { setTimeout as sleep } from "node:timers/promises";
import { context, propagation } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { ExportResultCode, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter as JsonExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter as ProtobufExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Metrics } from "../metrics.js";
import type { TraceSettings } from "./trace-settings.js";

/** `parentbased_…` samplers follow the sampling decision of the caller's `traceparent`, if there is one. */
const SAMPLERS: Record<TraceSettings["sampler"], (ratio: number) => Sampler> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
};

/**
 * Creates a tracer whose spans are exported to a collector.
 * @param exporter spans that it cannot export are lost
 * @param version service version
 */
export function createTracing(exporter: SpanExporter, settings: TraceSettings, version: string) {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "user-groups", "service.version": version }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    sampler: SAMPLERS[settings.sampler](settings.ratio),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return {
    tracing: provider.getTracer("user-groups", version),
    /** Exports the remaining spans, but waits at most `timeoutMs` for the collector. */
    async close(timeoutMs: number): Promise<void> {
      // Failed exports are counted by the exporter.
      await Promise.race([
        provider.shutdown().catch(() => undefined),
        sleep(timeoutMs, undefined, { ref: false }),
      ]);
    },
  };
}

const TIMEOUT_MS = 5_000;
const MAX_IN_FLIGHT = 2;

/**
 * Creates the exporter that sends spans to a collector.
 * @param onFailure called at the first of consecutive failures
 */
export function createSpanExporter(
  { endpoint, protocol }: TraceSettings,
  { spanExports }: Metrics,
  onFailure: (reason: string) => void,
): SpanExporter {
  const options = {
    url: `${endpoint.replace(/\/+$/, "")}/v1/traces`,
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
