import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../persistence/database/database.js";
import { releaseLease, takeLease } from "../../persistence/shared/job-lease.js";
import type { Metrics } from "../../telemetry/metrics.js";
import { type PurgeList, type PurgeScope, purgeScopes } from "./purge-scopes.js";

/** Time after which another process may purge if this one has died. Longer than any statement. */
const LEASE_MS = 120_000;

export interface PurgeLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export interface PurgeOptions {
  /** Time between the end of a complete run and the start of the next one, over all processes. */
  readonly intervalMs: number;
  /** Delay before the first retry; doubles with each further failure, up to the interval. */
  readonly retryMs: number;
  /** Pause between batches, to leave the database capacity for requests. */
  readonly pauseMs: number;
  /** Maximum rows of a statement; small, to keep row locks short. */
  readonly batchSize: number;
}

const OPTIONS: PurgeOptions = { intervalMs: 3_600_000, retryMs: 10_000, pauseMs: 50, batchSize: 2000 };

/** Rows by purge. */
export type PurgeCounts = ReadonlyMap<string, number>;

/** State of a run. */
interface Run {
  readonly rows: Map<string, number>;
  /** First failure by purge. */
  readonly failures: Map<string, unknown>;
  leasedAt: number;
}

/**
 * Removes expired rows of all tenants in batches. One process at a time does. A purge that fails is left out until the run is repeated;
 * only the first failure of a series is logged.
 */
export class PurgeJob {
  readonly #db: Database;
  readonly #list: PurgeList;
  readonly #names: readonly string[];
  readonly #metrics: Metrics;
  readonly #options: PurgeOptions;
  readonly #stop = new AbortController();
  readonly #lease = { job: "purge", holder: randomUUID() };
  #running: Promise<void> | undefined;

  constructor(db: Database, list: PurgeList, metrics: Metrics, options: Partial<PurgeOptions> = {}) {
    this.#db = db;
    this.#list = list;
    this.#names = [...list.shared, ...list.tenant].map(({ name }) => name);
    this.#metrics = metrics;
    this.#options = { ...OPTIONS, ...options };
    for (const purge of this.#names) {
      metrics.purgedRows.inc({ purge }, 0);
      metrics.purgeFailures.inc({ purge }, 0);
    }
  }

  start(log: PurgeLog): void {
    this.#running ??= this.#repeat(log);
  }

  /** Stops after the batch in progress; the next run removes the remaining rows. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Counts the rows that a run would remove or change. */
  async count(): Promise<PurgeCounts> {
    const counts = new Map(this.#names.map((name) => [name, 0]));
    for await (const scope of purgeScopes(this.#db, this.#list)) {
      for (const [name, count] of await scope.inspect("count"))
        counts.set(name, (counts.get(name) ?? 0) + (count ?? 0));
    }
    return counts;
  }

  /**
   * Removes the rows that have expired.
   * @param dueAfterMs time since the last complete run of any process, before which nothing is done
   * @returns null if another process is purging or the job is not due
   * @throws AggregateError of the purges that failed; the others have run
   */
  async run(dueAfterMs = 0): Promise<PurgeCounts | null> {
    const operator = this.#db.of("operator");
    if (!(await takeLease(operator, this.#lease, LEASE_MS, dueAfterMs))) {
      // The process that runs the job reports the backlog.
      this.#metrics.purgeBacklogs.reset();
      return null;
    }
    const run: Run = {
      rows: new Map(this.#names.map((name) => [name, 0])),
      failures: new Map(),
      leasedAt: performance.now(),
    };
    let isComplete = false;
    try {
      isComplete = await this.#purgeAll(run);
      for (const name of this.#names) this.#recordEnd(name, run, isComplete);
      if (run.failures.size > 0) {
        const failed = [...run.failures.keys()].join(", ");
        throw new AggregateError(run.failures.values(), `These purges failed: ${failed}.`);
      }
    } finally {
      await releaseLease(operator, this.#lease, isComplete && run.failures.size === 0);
    }
    return run.rows;
  }

  /** @returns false if the job was stopped or lost its lease */
  async #purgeAll(run: Run): Promise<boolean> {
    for (const purge of this.#names) this.#metrics.purgeBacklogs.set({ purge }, 0);
    const backlogs = new Map<string, number>();
    for await (const scope of purgeScopes(this.#db, this.#list)) {
      if (!(await this.#mayContinue(run))) return false;
      for (const [name, seconds] of await scope.inspect("overdueSeconds")) {
        if (seconds === null || run.failures.has(name)) continue;
        backlogs.set(name, Math.max(backlogs.get(name) ?? 0, seconds));
        this.#metrics.purgeBacklogs.set({ purge: name }, backlogs.get(name) ?? 0);
        if (!(await this.#purge(scope, name, run))) return false;
      }
    }
    return true;
  }

  /** @returns false if the job was stopped or lost its lease */
  async #purge(scope: PurgeScope, name: string, run: Run): Promise<boolean> {
    const { batchSize, pauseMs } = this.#options;
    for (let isLast = false; !isLast; ) {
      try {
        const batch = await scope.removeBatch(name, batchSize);
        ({ isLast } = batch);
        run.rows.set(name, (run.rows.get(name) ?? 0) + batch.rows);
        this.#metrics.purgedRows.inc({ purge: name }, batch.rows);
      } catch (error) {
        run.failures.set(name, error);
        isLast = true;
      }
      await this.#wait(pauseMs);
      if (!(await this.#mayContinue(run))) return false;
    }
    return true;
  }

  /** Renews the lease when a third of it has passed. */
  async #mayContinue(run: Run): Promise<boolean> {
    if (this.#stop.signal.aborted) return false;
    if (performance.now() - run.leasedAt < LEASE_MS / 3) return true;
    run.leasedAt = performance.now();
    return takeLease(this.#db.of("operator"), this.#lease, LEASE_MS, 0);
  }

  #recordEnd(purge: string, { failures }: Run, isComplete: boolean): void {
    const { purgeFailures, lastPurges, purgeBacklogs } = this.#metrics;
    if (failures.has(purge)) purgeFailures.inc({ purge });
    else if (isComplete) {
      lastPurges.setToCurrentTime({ purge });
      purgeBacklogs.set({ purge }, 0);
    }
  }

  async #repeat(log: PurgeLog): Promise<void> {
    const { intervalMs, retryMs } = this.#options;
    // Random delay: replicas that start together do not compete for the lease.
    await this.#wait(Math.random() * Math.min(intervalMs, retryMs));
    for (let failures = 0; !this.#stop.signal.aborted; ) {
      try {
        // A process whose turn comes slightly early would otherwise wait for another interval.
        const rows = await this.run(0.9 * intervalMs);
        if (rows)
          log.info({ rows: Object.fromEntries([...rows].filter(([, count]) => count > 0)) }, "purged");
        if (failures > 0) log.warn({ failures }, "purge recovered");
        failures = 0;
      } catch (error) {
        if (failures === 0) log.warn({ err: error }, "purge failed and will be retried");
        failures += 1;
      }
      await this.#wait(failures === 0 ? intervalMs : Math.min(retryMs * 2 ** (failures - 1), intervalMs));
    }
  }

  async #wait(milliseconds: number): Promise<void> {
    // ref: false, so that the timer does not keep the process alive.
    const ended = sleep(milliseconds, undefined, { ref: false, signal: this.#stop.signal });
    await ended.catch((error: unknown) => {
      if (!this.#stop.signal.aborted) throw error;
    });
  }
}
