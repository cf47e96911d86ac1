import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Span as ApiSpan,
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import type { Span, SpanAttributes, SpanIds, SpanOptions, Tracing } from "../tracing.js";
import { createSampler } from "./sampler.js";
import type { TraceSettings } from "./trace-settings.js";

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;
const NAME = "user-groups";

/** Tracing with OpenTelemetry, exported to a collector. */
export interface OtlpTracing extends Tracing {
  /** Exports the remaining spans, but waits at most `timeoutMs` for the collector. */
  close(timeoutMs: number): Promise<void>;
}

/**
 * @param exporter spans that it cannot export are lost
 * @param version service version
 */
export function createTracing(exporter: SpanExporter, settings: TraceSettings, version: string): OtlpTracing {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.version": version,
      ...settings.resource,
      "service.name": settings.serviceName,
    }),
    sampler: createSampler(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const tracer = provider.getTracer(NAME, version);
  const active = new AsyncLocalStorage<Span | undefined>();
  return {
    begin: (name, spanOptions) => new OtlpSpan(tracer, active, name, spanOptions),
    current() {
      const span = active.getStore();
      return span?.isRecorded ? span : undefined;
    },
    runRoot: (work) => active.run(undefined, work),
    async close(timeoutMs) {
      const timeouts = new Promise<void>((resolve) => {
        setTimeout(resolve, timeoutMs).unref();
      });
      // Failed exports are counted by the exporter.
      await Promise.race([provider.shutdown().catch(() => undefined), timeouts]);
    },
  };
}

class OtlpSpan implements Span {
  readonly #span: ApiSpan;
  readonly #active: AsyncLocalStorage<Span | undefined>;

  constructor(
    tracer: Tracer,
    active: AsyncLocalStorage<Span | undefined>,
    name: string,
    { kind = "internal", attributes = {}, parent }: SpanOptions,
  ) {
    this.#active = active;
    this.#span = tracer.startSpan(name, { kind: KINDS[kind], attributes }, contextOf(parent));
  }

  get ids(): SpanIds {
    const { traceId, spanId } = this.#span.spanContext();
    return { traceId, spanId };
  }

  get isRecorded(): boolean {
    return this.#span.isRecording();
  }

  /** Parent context of child spans. */
  get context(): Context {
    return trace.setSpan(ROOT_CONTEXT, this.#span);
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes);
  }

  link({ ids }: Span): void {
    this.#span.addLink({ context: { ...ids, traceFlags: this.#span.spanContext().traceFlags } });
  }

  fail(kind: string): void {
    this.#span.setAttribute("error.type", kind);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.#span.end();
  }

  run<Result>(work: () => Result): Result {
    return this.#active.run(this, work);
  }
}

function contextOf(parent: SpanOptions["parent"]): Context {
  if (parent === null) return ROOT_CONTEXT;
  if (parent instanceof OtlpSpan) return parent.context;
  if (!("traceparent" in parent)) throw new TypeError("The span is not one of this tracing.");
  const { traceparent } = parent;
  return new W3CTraceContextPropagator().extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter);
}
