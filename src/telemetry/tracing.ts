import { context, type Span, type SpanOptions, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";

/** Returns the current span if it is recorded. */
export function recordedSpan(): Span | undefined {
  const span = trace.getActiveSpan();
  return span?.isRecording() ? span : undefined;
}

/** Returns the IDs of a span for log lines. */
export function idsOf(span: Span | undefined): { readonly traceId?: string; readonly spanId?: string } {
  if (!span) return {};
  const { traceId, spanId } = span.spanContext();
  return { traceId, spanId };
}

/**
 * Runs `work` in a child of the current span; without a recorded span, just runs it.
 * @param options.attributes never a secret, nor a name or value that comes from a caller
 */
export async function inSpan<Result>(
  tracer: Tracer | undefined,
  name: string,
  options: SpanOptions,
  work: () => Promise<Result>,
): Promise<Result> {
  return tracer && recordedSpan() ? runSpan(tracer.startSpan(name, options), work) : work();
}

/** Runs `work` within a span and ends the span. */
export async function runSpan<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await context.with(trace.setSpan(context.active(), span), work);
    span.end();
    return result;
  } catch (error) {
    endFailed(span, error);
    throw error;
  }
}

/** Ends a span whose work failed. */
export function endFailed(span: Span, error: unknown): void {
  markFailed(span, kindOf(error));
  span.end();
}

/** @param kind error code or class name */
export function markFailed(span: Span, kind: string): void {
  span.setAttribute("error.type", kind).setStatus({ code: SpanStatusCode.ERROR });
}

/** Returns the error's code or class name, never its message. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return "error";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
