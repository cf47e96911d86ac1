import type { Tenant } from "../../domain/accounts/caller.js";
import { type Deadline, deadlineExceeded, SharedDeadline } from "../../domain/shared/deadline.js";
import { DomainError } from "../../domain/shared/errors.js";
import { inOrder } from "../../domain/shared/in-order.js";
import { ReplicaFailed } from "../../persistence/database/replica-reads.js";
import type { Telemetry } from "../../telemetry/telemetry.js";
import { runSpan, type Span } from "../../telemetry/tracing.js";

/** Concurrent statements per batch key. */
const DEFAULT_MAX_IN_FLIGHT = 2;
/** A slower statement no longer counts as in flight: the network may have lost its reply. */
const SLOT_TIMEOUT_MS = 500;
/** Flush early once this many calls are queued: the database works while further requests are parsed. */
const FLUSH_AT = 12;
const DEFAULT_MAX_BATCH_SIZE = 1000;

/** Loads one value per key, in the order of the keys. */
export type LoadMany<Key, Value, Scope extends Tenant> = (
  scope: Scope,
  keys: readonly Key[],
) => Promise<readonly Value[]>;

/** Settings shared by all batch loaders. */
export interface Batching {
  /** If false, each call executes its own statement. */
  readonly isOn: boolean;
  readonly telemetry: Telemetry;
}

interface Call<Key, Value> {
  readonly keys: readonly Key[];
  readonly deadline: Deadline | undefined;
  /** Measures how long the request waits for its values. */
  readonly span: Span | undefined;
  resolve(values: readonly Value[]): void;
  reject(error: unknown): void;
}

interface Queue<Key, Value, Scope> {
  readonly name: string;
  readonly scope: Scope;
  readonly calls: Call<Key, Value>[];
  inFlight: number;
  isScheduled: boolean;
}

/**
 * Batches concurrent calls of a tenant into one statement. The statement starts after all of these calls, so no value is older than
 * the request that reads it.
 */
export class BatchLoader<Key, Value, Scope extends Tenant = Tenant> {
  readonly #loadMany: LoadMany<Key, Value, Scope>;
  readonly #queues = new Map<string, Queue<Key, Value, Scope>>();
  readonly #name: string;
  readonly #batching: Batching;
  readonly #batchKey: (scope: Scope) => string;
  readonly #maxInFlight: number;
  readonly #maxBatchSize: number;

  /**
   * @param name label in metrics and traces
   * @param options.batchKey calls of one tenant with different batch keys are never batched together
   * @param options.maxInFlight concurrent statements per batch key; further calls wait for the next statement
   * @param options.maxBatchSize keys per statement
   */
  constructor(
    name: string,
    loadMany: LoadMany<Key, Value, Scope>,
    batching: Batching,
    options: {
      readonly batchKey?: (scope: Scope) => string;
      readonly maxInFlight?: number;
      readonly maxBatchSize?: number;
    } = {},
  ) {
    this.#name = name;
    this.#loadMany = loadMany;
    this.#batching = batching;
    this.#batchKey = options.batchKey ?? (() => "");
    this.#maxInFlight = options.maxInFlight ?? DEFAULT_MAX_IN_FLIGHT;
    this.#maxBatchSize = options.maxBatchSize ?? DEFAULT_MAX_BATCH_SIZE;
  }

  /** Returns one value per key, in the order of the keys. */
  load(scope: Scope, keys: readonly Key[]): Promise<readonly Value[]> {
    if (scope.deadline?.isOver) return Promise.reject(deadlineExceeded());
    if (keys.length === 0) return Promise.resolve([]);
    // A call inside a transaction must use that transaction's connection.
    const { isOn, telemetry } = this.#batching;
    if (!isOn || scope.transaction || keys.length >= this.#maxBatchSize) return this.#loadMany(scope, keys);
    const parent = telemetry.tracing?.current();
    if (!parent) return this.#enqueue(scope, keys, undefined);
    const span = telemetry.tracing?.begin(`collect ${this.#name}`, {
      parent,
      attributes: { "user_groups.keys": keys.length },
    });
    const values = this.#enqueue(scope, keys, span);
    return span ? runSpan(span, () => values) : values;
  }

  #enqueue(scope: Scope, keys: readonly Key[], span: Span | undefined): Promise<readonly Value[]> {
    return new Promise((resolve, reject) => {
      const queue = this.#queueOf(scope);
      queue.calls.push({ keys, deadline: scope.deadline, span, resolve, reject });
      if (this.#shouldFlush(queue)) void this.#run(queue);
      else this.#schedule(queue);
    });
  }

  #queueOf(scope: Scope): Queue<Key, Value, Scope> {
    const name = `${scope.accountId}/${scope.environment}/${scope.replica?.name ?? ""}/${this.#batchKey(scope)}`;
    const existing = this.#queues.get(name);
    if (existing) return existing;
    const queue: Queue<Key, Value, Scope> = { name, scope, calls: [], inFlight: 0, isScheduled: false };
    this.#queues.set(name, queue);
    return queue;
  }

  /** Returns whether to flush at once: only if a statement is left for later calls of this event loop turn. */
  #shouldFlush({ calls, inFlight }: Queue<Key, Value, Scope>): boolean {
    return calls.length >= FLUSH_AT && inFlight + 1 < this.#maxInFlight;
  }

  #schedule(queue: Queue<Key, Value, Scope>): void {
    if (queue.isScheduled || queue.inFlight >= this.#maxInFlight) return;
    queue.isScheduled = true;
    // Runs after all pending requests have been parsed.
    setImmediate(() => {
      queue.isScheduled = false;
      // An early flush may have emptied the queue.
      if (queue.calls.length > 0) void this.#run(queue);
    });
  }

  async #run(queue: Queue<Key, Value, Scope>): Promise<void> {
    queue.inFlight += 1;
    const calls = dequeueCalls(queue.calls, this.#maxBatchSize);
    if (queue.calls.length > 0) this.#schedule(queue);
    let isCounted = true;
    const releaseOnce = () => {
      if (isCounted) this.#release(queue);
      isCounted = false;
    };
    const timer = setTimeout(releaseOnce, SLOT_TIMEOUT_MS);
    await this.#execute(queue.scope, calls);
    clearTimeout(timer);
    releaseOnce();
  }

  #release(queue: Queue<Key, Value, Scope>): void {
    queue.inFlight -= 1;
    if (queue.calls.length > 0) this.#schedule(queue);
    else if (queue.inFlight === 0) this.#queues.delete(queue.name);
  }

  async #execute(tenant: Scope, all: readonly Call<Key, Value>[]): Promise<void> {
    const calls = rejectExpired(all);
    if (calls.length === 0) return;
    this.#batching.telemetry.metrics.batches.of(this.#name).record(calls.length);
    const keys = calls.flatMap((call) => call.keys);
    const scope = { ...tenant, deadline: deadlineOf(calls) };
    try {
      const values = await this.#loadTraced(calls, () => this.#loadMany(scope, keys));
      let start = 0;
      for (const { keys, resolve } of calls) {
        resolve(values.slice(start, start + keys.length));
        start += keys.length;
      }
    } catch (error) {
      // Retrying one by one would fail as well.
      if (calls.length <= 1 || isUnavailable(error) || error instanceof ReplicaFailed) {
        for (const { reject } of calls) reject(error);
      } else {
        // One call is invalid: run each alone so that the others succeed.
        await Promise.all(calls.map(async (alone) => this.#execute(scope, [alone])));
      }
    }
  }

  /** Runs the load as a span in the first request's trace, linked to and from the spans of the other requests. */
  #loadTraced<Result>(calls: readonly Call<Key, Value>[], load: () => Promise<Result>): Promise<Result> {
    const { tracing } = this.#batching.telemetry;
    if (!tracing) return load();
    const [parent, ...others] = calls.flatMap(({ span }) => span ?? []);
    // The current trace context may belong to another request, whose call scheduled this batch.
    if (!parent) return tracing.runRoot(load);
    const attributes = { "user_groups.calls": calls.length };
    const span = tracing.begin(`load ${this.#name}`, { parent, attributes });
    for (const other of others) {
      span.link(other);
      other.link(span);
    }
    return runSpan(span, load);
  }
}

/**
 * Creates a batch loader that returns the record with each key, or null.
 * @param find returns the existing records, in any order
 */
export function batchLookups<Key, Value>(
  name: string,
  find: (tenant: Tenant, keys: readonly Key[]) => Promise<readonly Value[]>,
  keyOf: (value: Value) => Key,
  batching: Batching,
): BatchLoader<Key, Value | null> {
  return new BatchLoader(
    name,
    async (tenant: Tenant, keys: readonly Key[]) => inOrder(keys, await find(tenant, keys), keyOf),
    batching,
  );
}

/** Rejects calls whose deadline has passed and returns the others. */
function rejectExpired<Key, Value>(calls: readonly Call<Key, Value>[]): readonly Call<Key, Value>[] {
  return calls.filter(({ deadline, reject }) => {
    if (deadline?.isOver) reject(deadlineExceeded());
    return !deadline?.isOver;
  });
}

/** Returns the statement's deadline, which passes once those of all its calls have. */
function deadlineOf(calls: readonly Pick<Call<unknown, unknown>, "deadline">[]): Deadline | undefined {
  if (calls.length === 1) return calls[0]?.deadline;
  const shared = new SharedDeadline();
  for (const { deadline } of calls) shared.join(deadline);
  return shared;
}

/** Removes at least one call, and as many as fit the batch size. */
function dequeueCalls<Key, Value>(calls: Call<Key, Value>[], maxBatchSize: number): Call<Key, Value>[] {
  let count = 0;
  let keys = 0;
  while (count < calls.length && (count === 0 || keys + (calls[count]?.keys.length ?? 0) <= maxBatchSize)) {
    keys += calls[count]?.keys.length ?? 0;
    count += 1;
  }
  return calls.splice(0, count);
}

function isUnavailable(error: unknown): boolean {
  return error instanceof DomainError && error.code === "unavailable";
}
