/** What is known of a span: numbers and words of ours, never a secret, a name or a value of a caller. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** By what a span is known elsewhere, in hexadecimal digits. */
export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
}

/** A stretch of work that is recorded as a part of a trace. */
export interface Span {
  readonly ids: SpanIds;
  /** Whether it will be sent; one that is not sampled has ids only. */
  readonly isRecorded: boolean;
  set(attributes: SpanAttributes): void;
  /** Names a span, maybe of another trace, that belongs to the same work. */
  link(other: Span): void;
  /** @param kind what went wrong, by a code or the name of a class */
  fail(kind: string): void;
  end(): void;
  /** Does what is a part of it: spans that are begun there are below it. */
  run<Result>(work: () => Result): Result;
}

export interface SpanOptions {
  readonly kind?: "server" | "client" | "internal";
  readonly attributes?: SpanAttributes;
  /** The span it is a part of; what began it elsewhere, as the header traceparent has it; or null for none. */
  readonly parent: Span | { readonly traceparent: string | undefined } | null;
}

/** Records what is done for a request, across processes. */
export interface Tracing {
  begin(name: string, options: SpanOptions): Span;
  /** The span that the work under way is a part of, if it is recorded. */
  current(): Span | undefined;
  /** Does what is a part of no span. */
  runApart<Result>(work: () => Result): Result;
}

/** Does work as a span of its own below the current one; where nothing is recorded, the work alone. */
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

/** Does work within a span, and ends it. */
export async function runSpan<Result>(span: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    return await span.run(work);
  } catch (error) {
    span.fail(kindOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** What kind of error it is, without its words. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return "error";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
