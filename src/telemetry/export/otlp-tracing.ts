import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, type ContextManager, context, propagation, ROOT_CONTEXT } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { BatchSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import { createSampler } from "./sampler.js";
import type { TraceSettings } from "./trace-settings.js";

/**
 * Creates a tracer whose spans are exported to a collector.
 * @param exporter spans that it cannot export are lost
 * @param version service version
 */
export function createTracing(exporter: SpanExporter, settings: TraceSettings, version: string) {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      "service.version": version,
      ...settings.resource,
      "service.name": settings.serviceName,
    }),
    sampler: createSampler(settings),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  context.setGlobalContextManager(new AsyncContext());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  return {
    tracing: provider.getTracer("user-groups", version),
    /** Exports the remaining spans, but waits at most `timeoutMs` for the collector. */
    async close(timeoutMs: number): Promise<void> {
      const timeouts = new Promise<void>((resolve) => {
        setTimeout(resolve, timeoutMs).unref();
      });
      // Failed exports are counted by the exporter.
      await Promise.race([provider.shutdown().catch(() => undefined), timeouts]);
    },
  };
}

/** Carries the current span through asynchronous calls. */
class AsyncContext implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();

  active(): Context {
    return this.#storage.getStore() ?? ROOT_CONTEXT;
  }

  with<Args extends unknown[], Work extends (...args: Args) => ReturnType<Work>>(
    active: Context,
    work: Work,
    self?: ThisParameterType<Work>,
    ...args: Args
  ): ReturnType<Work> {
    return this.#storage.run(active, () => work.apply(self, args));
  }

  bind<Target>(_active: Context, target: Target): Target {
    return target;
  }

  enable(): this {
    return this;
  }

  disable(): this {
    this.#storage.disable();
    return this;
  }
}
