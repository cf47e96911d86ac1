import type { Tenant } from "../../domain/accounts/caller.js";
import { type Deadline, deadlineExceeded, SharedDeadline } from "../../domain/shared/deadline.js";
import { DomainError } from "../../domain/shared/errors.js";
import { inOrder } from "../../domain/shared/in-order.js";
import { ReplicaFailed } from "../../persistence/database/replica-reads.js";
import type { Telemetry } from "../../telemetry/telemetry.js";
import { runSpan, type Span } from "../../telemetry/tracing.js";

/** How many statements of one kind a tenant has under way, unless told otherwise. */
const DEFAULT_MAX_IN_FLIGHT = 2;
/** After how long one counts no more: it may be waiting for an answer that the network has lost. */
const TIMEOUT_MS = 500;
/** How many calls do not wait for the end of the turn: the database works while the requests behind them are read. */
const FLUSH_AT = 12;
/** How many keys go with one statement, unless told otherwise. */
const DEFAULT_MAX_BATCH_SIZE = 1000;

/** Loads something for each key. @returns a value for each of them, in the same order */
export type LoadMany<Key, Value, Scope extends Tenant> = (
  scope: Scope,
  keys: readonly Key[],
) => Promise<readonly Value[]>;

/** How all collectors of a service work. */
export interface Batching {
  /** Whether anything is collected: else each call is a statement of its own. */
  readonly isOn: boolean;
  readonly telemetry: Telemetry;
}

interface Call<Key, Value> {
  readonly keys: readonly Key[];
  readonly deadline: Deadline | undefined;
  /** Where its request is traced: how long it waits for its values. */
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
 * Collects what requests ask for at the same time, and loads it for each tenant with one statement. It runs after each of those
 * requests has come, so nothing is older than its request.
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
   * @param name what metrics and traces call it
   * @param options.apart tells what of one tenant is kept apart
   * @param options.maxInFlight how many statements a tenant has under way: what comes meanwhile goes with the next one
   * @param options.maxBatchSize how many keys go with one statement
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

  /** @returns a value for each key, in the same order */
  load(scope: Scope, keys: readonly Key[]): Promise<readonly Value[]> {
    if (scope.deadline?.isOver) return Promise.reject(deadlineExceeded());
    if (keys.length === 0) return Promise.resolve([]);
    // What has a transaction is a part of that.
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
      if (this.#isEnough(queue)) void this.#run(queue);
      else this.#schedule(queue);
    });
  }

  #queueOf(scope: Scope): Queue<Key, Value, Scope> {
    const name = `${scope.accountId}/${scope.environment}/${scope.replica?.name ?? ""}/${this.#batchKey(scope)}`;
    const known = this.#queues.get(name);
    if (known) return known;
    const queue: Queue<Key, Value, Scope> = { name, scope, calls: [], inFlight: 0, isScheduled: false };
    this.#queues.set(name, queue);
    return queue;
  }

  /** Whether to ask at once, as there is another statement left for what is still to come in this turn. */
  #isEnough({ calls, inFlight }: Queue<Key, Value, Scope>): boolean {
    return calls.length >= FLUSH_AT && inFlight + 1 < this.#maxInFlight;
  }

  #schedule(queue: Queue<Key, Value, Scope>): void {
    if (queue.isScheduled || queue.inFlight >= this.#maxInFlight) return;
    queue.isScheduled = true;
    // After everything that has come in by now was read.
    setImmediate(() => {
      queue.isScheduled = false;
      // Enough of them may have gone before.
      if (queue.calls.length > 0) void this.#run(queue);
    });
  }

  async #run(queue: Queue<Key, Value, Scope>): Promise<void> {
    queue.inFlight += 1;
    const calls = takeCalls(queue.calls, this.#maxBatchSize);
    if (queue.calls.length > 0) this.#schedule(queue);
    let counts = true;
    const countNoMore = () => {
      if (counts) this.#release(queue);
      counts = false;
    };
    const timer = setTimeout(countNoMore, TIMEOUT_MS);
    await this.#answer(queue.scope, calls);
    clearTimeout(timer);
    countNoMore();
  }

  #release(queue: Queue<Key, Value, Scope>): void {
    queue.inFlight -= 1;
    if (queue.calls.length > 0) this.#schedule(queue);
    else if (queue.inFlight === 0) this.#queues.delete(queue.name);
  }

  async #answer(tenant: Scope, all: readonly Call<Key, Value>[]): Promise<void> {
    const calls = rejectLate(all);
    if (calls.length === 0) return;
    this.#batching.telemetry.metrics.batches.of(this.#name).record(calls.length);
    const keys = calls.flatMap((call) => call.keys);
    const scope = { ...tenant, deadline: deadlineOf(calls) };
    try {
      const values = await this.#traced(calls, () => this.#loadMany(scope, keys));
      let start = 0;
      for (const { keys, resolve } of calls) {
        resolve(values.slice(start, start + keys.length));
        start += keys.length;
      }
    } catch (error) {
      // What is out of reach for all of them is so for each.
      if (calls.length <= 1 || isUnavailable(error) || error instanceof ReplicaFailed) {
        for (const { reject } of calls) reject(error);
      } else {
        // One of them is at fault; the others must not suffer from it.
        await Promise.all(calls.map(async (alone) => this.#answer(scope, [alone])));
      }
    }
  }

  /** Loads for several requests as a span of the first one's trace, which names the others, and is named by them. */
  #traced<Result>(calls: readonly Call<Key, Value>[], load: () => Promise<Result>): Promise<Result> {
    const { tracing } = this.#batching.telemetry;
    if (!tracing) return load();
    const [parent, ...others] = calls.flatMap(({ span }) => span ?? []);
    // What has scheduled this may be of another request.
    if (!parent) return tracing.runApart(load);
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
 * Collects what requests look up by a key.
 * @param find gives what there is, in any order
 * @returns a collector that loads what has the key, or null
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

/** Rejects the calls whose deadlines are over. @returns the others */
function rejectLate<Key, Value>(calls: readonly Call<Key, Value>[]): readonly Call<Key, Value>[] {
  return calls.filter(({ deadline, reject }) => {
    if (deadline?.isOver) reject(deadlineExceeded());
    return !deadline?.isOver;
  });
}

/** The deadline of a statement: over when those of all its calls are. */
function deadlineOf(calls: readonly Pick<Call<unknown, unknown>, "deadline">[]): Deadline | undefined {
  if (calls.length === 1) return calls[0]?.deadline;
  const shared = new SharedDeadline();
  for (const { deadline } of calls) shared.join(deadline);
  return shared;
}

/** Takes as many calls as go together, at least one. */
function takeCalls<Key, Value>(calls: Call<Key, Value>[], maxBatchSize: number): Call<Key, Value>[] {
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
