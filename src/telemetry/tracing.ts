/** Span attributes: never a secret, nor a name or value that comes from a caller. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** Hexadecimal trace and span IDs. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

export interface Span {
  readonly ids: SpanIds;
  /** False for a span that is not sampled: it has IDs only and is not exported. */
  readonly isRecorded: boolean;
  set(attributes: SpanAttributes): void;
  /** Links a related span, possibly of another trace. */
  link(other: Span): void;
  /** @param kind error code or class name */
  fail(kind: string): void;
  end(): void;
  /** Runs `work` with this span as the current one, the parent of spans that begin within it. */
  run<Result>(work: () => Result): Result;
}

export interface SpanOptions {
  readonly kind?: "server" | "client" | "internal";
  readonly attributes?: SpanAttributes;
  /** Parent span, the caller's `traceparent` header, or null for a root span. */
  readonly parent: Span | { readonly traceparent: string | undefined } | null;
}

/** Distributed tracing. */
export interface Tracing {
  begin(name: string, options: SpanOptions): Span;
  /** Returns the current span if it is recorded. */
  current(): Span | undefined;
  /** Runs `work` without a current span. */
  runRoot<Result>(work: () => Result): Result;
}

/** Runs `work` in a child of the current span; without a recorded span, just runs it. */
export async function inSpan<Result>(
  tracing: Tracing | undefined,
  name: string,
  options: Omit<SpanOptions, "parent">,
  work: () => Promise<Result>,
): Promise<Result> {
  const parent = tracing?.current();
  if (!tracing || !parent) return work();
  return runSpan(tracing.begin(name, { ...options, parent }), work);
}

/** Runs `work` within a span and ends the span. */
export async function runSpan<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await span.run(work);
    span.end();
    return result;
  } catch (error) {
    endFailed(span, error);
    throw error;
  }
}

/** Ends a span whose work failed. */
export function endFailed(span: Span, error: unknown): void {
  span.fail(kindOf(error));
  span.end();
}

/** Returns the error's code or class name, never its message. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return "error";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
