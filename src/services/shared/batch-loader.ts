import { context, ROOT_CONTEXT, type Span, type Tracer, trace } from "@opentelemetry/api";
import type { Tenant } from "../../domain/accounts/caller.js";
import { deadlineExceeded, SharedDeadline } from "../../domain/shared/deadline.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { Telemetry } from "../../telemetry/telemetry.js";
import { endFailed, recordedSpan, runSpan } from "../../telemetry/tracing.js";

/** Concurrent statements per tenant. */
const MAX_IN_FLIGHT = 2;
/** A slower statement no longer counts as in flight: the network may have lost its reply. */
const SLOT_TIMEOUT_MS = 500;
const MAX_KEYS = 1000;

/** Loads one value per key, in the order of the keys. */
type LoadMany<Key, Value> = (scope: Tenant, keys: readonly Key[]) => Promise<readonly Value[]>;

/** Settings shared by all batch loaders. */
export interface Batching {
  /** If false, requests do not share statements. */
  readonly isOn: boolean;
  readonly telemetry: Telemetry;
}

/** The maximum of a statement: of its keys, or of their sizes; 1000 by default. */
interface BatchLimit<Key> {
  readonly max?: number;
  readonly sizeOf?: (key: Key) => number;
}

/** The keys that one request loads at the same time. */
interface Call<Key, Value> {
  readonly scope: Tenant;
  readonly keys: Key[];
  size: number;
  /** Settles the promise of each key. */
  readonly waiting: { resolve(value: Value): void; reject(error: unknown): void }[];
  /** Measures how long the request waits for its values. */
  readonly span: Span | undefined;
}

interface Queue<Key, Value> {
  readonly id: unknown;
  readonly calls: Call<Key, Value>[];
  inFlight: number;
  isScheduled: boolean;
}

/**
 * Batches the keys that concurrent requests of a tenant load into one statement. The statement starts after all of these calls, so no
 * value is older than the request that reads it. If batching is off, and within a transaction, requests do not share statements, but the
 * keys of one request do.
 */
export class BatchLoader<Key, Value> {
  readonly #queues = new Map<unknown, Queue<Key, Value>>();
  /** The queued call of each request, to which further keys are added. */
  readonly #open = new Map<Tenant, Call<Key, Value>>();

  /**
   * @param name label in metrics and traces
   */
  constructor(
    private readonly name: string,
    private readonly loadMany: LoadMany<Key, Value>,
    private readonly batching: Batching,
    private readonly limit: BatchLimit<Key> = {},
  ) {}

  /** Returns the value of a key. @param scope identifies the request by identity */
  load(scope: Tenant, key: Key): Promise<Value> {
    if (scope.deadline?.isOver) return Promise.reject(deadlineExceeded());
    const call = this.#open.get(scope) ?? this.#beginCall(scope);
    call.keys.push(key);
    call.size += this.limit.sizeOf?.(key) ?? 1;
    if (call.size >= (this.limit.max ?? MAX_KEYS)) this.#open.delete(scope);
    return new Promise((resolve, reject) => call.waiting.push({ resolve, reject }));
  }

  #beginCall(scope: Tenant): Call<Key, Value> {
    const { accountId, environment, transaction } = scope;
    const { isOn, telemetry } = this.batching;
    const id = transaction ?? (isOn ? `${accountId}/${environment}` : scope);
    const queue = this.#queues.get(id) ?? { id, calls: [], inFlight: 0, isScheduled: false };
    this.#queues.set(id, queue);
    const span = telemetry.tracing && recordedSpan() && telemetry.tracing.startSpan(`collect ${this.name}`);
    const call: Call<Key, Value> = { scope, keys: [], size: 0, waiting: [], span };
    queue.calls.push(call);
    this.#open.set(scope, call);
    this.#schedule(queue);
    return call;
  }

  #schedule(queue: Queue<Key, Value>): void {
    if (queue.calls.length === 0 || queue.isScheduled || queue.inFlight >= MAX_IN_FLIGHT) return;
    queue.isScheduled = true;
    // Runs after all pending requests have been parsed.
    setImmediate(() => void this.#run(queue));
  }

  async #run(queue: Queue<Key, Value>): Promise<void> {
    queue.isScheduled = false;
    queue.inFlight += 1;
    let [count, size] = [0, 0];
    for (const call of queue.calls) {
      size += call.size;
      if (count > 0 && size > (this.limit.max ?? MAX_KEYS)) break;
      count += 1;
      this.#open.delete(call.scope);
    }
    const calls = queue.calls.splice(0, count);
    this.#schedule(queue);
    let isReleased = false;
    const release = () => {
      if (isReleased) return;
      isReleased = true;
      queue.inFlight -= 1;
      this.#schedule(queue);
      if (queue.inFlight === 0 && !queue.isScheduled) this.#queues.delete(queue.id);
    };
    const timer = setTimeout(release, SLOT_TIMEOUT_MS);
    await this.#execute(calls);
    clearTimeout(timer);
    release();
  }

  async #execute(dequeued: readonly Call<Key, Value>[]): Promise<void> {
    const calls: Call<Key, Value>[] = [];
    const keys: Key[] = [];
    const waiting: Call<Key, Value>["waiting"][number][] = [];
    for (const call of dequeued) {
      if (call.scope.deadline?.isOver) {
        reject(call, deadlineExceeded());
        continue;
      }
      calls.push(call);
      keys.push(...call.keys);
      waiting.push(...call.waiting);
    }
    const [first] = calls;
    if (!first) return;
    const { metrics, tracing } = this.batching.telemetry;
    metrics.batches.observe({ loader: this.name }, calls.length);
    // The statement's deadline passes once those of all its calls have.
    const scope =
      calls.length === 1
        ? first.scope
        : { ...first.scope, deadline: new SharedDeadline(calls.map((call) => call.scope.deadline)) };
    try {
      const values = await (tracing
        ? this.#loadTraced(tracing, calls, () => this.loadMany(scope, keys))
        : this.loadMany(scope, keys));
      for (const [index, value] of values.entries()) waiting[index]?.resolve(value);
      for (const call of calls) call.span?.setAttribute("user_groups.keys", call.keys.length).end();
    } catch (error) {
      // Retrying one by one would fail as well.
      if (calls.length <= 1 || isUnavailable(error)) {
        for (const call of calls) reject(call, error);
      } else {
        // A call is invalid, or they are too large together: the halves may succeed.
        const middle = calls.length >> 1;
        await this.#execute(calls.slice(0, middle));
        await this.#execute(calls.slice(middle));
      }
    }
  }

  /** Runs the load as a span in the first request's trace, linked to and from the spans of the other requests. */
  #loadTraced<Result>(
    tracer: Tracer,
    calls: readonly Pick<Call<unknown, unknown>, "span">[],
    load: () => Promise<Result>,
  ): Promise<Result> {
    const [parent, ...others] = calls.flatMap(({ span }) => span ?? []);
    // The current trace context may belong to another request, whose call scheduled this batch.
    if (!parent) return context.with(ROOT_CONTEXT, load);
    const attributes = { "user_groups.calls": calls.length };
    const span = tracer.startSpan(`load ${this.name}`, { attributes }, trace.setSpan(ROOT_CONTEXT, parent));
    for (const other of others) {
      span.addLink({ context: other.spanContext() });
      other.addLink({ context: span.spanContext() });
    }
    return runSpan(span, load);
  }
}

function reject<Value>({ waiting, span }: Call<unknown, Value>, error: unknown): void {
  for (const each of waiting) each.reject(error);
  if (span) endFailed(span, error);
}

function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.code === "unavailable";
}
