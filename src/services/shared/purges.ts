import { setTimeout as sleep } from "node:timers/promises";
import type { Metrics } from "../../telemetry/metrics.js";

/** Rows in one statement: they are locked only for a moment. */
const BATCH_SIZE = 2000;
const MS_PER_S = 1000;

/** Rows that are removed once they are no longer needed. */
export interface Purge {
  /** What metrics and the log call it. */
  readonly name: string;
  /** Removes up to `limit` rows. @returns how many; fewer than `limit` when none are left */
  removeBatch(limit: number): Promise<number>;
  /** For how long the oldest row should have been gone, in seconds. */
  backlogSeconds(): Promise<number>;
}

/** The part of the log that purges write to. */
export interface PurgeLog {
  warn(details: object, message: string): void;
}

export interface PurgeOptions {
  /** How long after the end of a run the next one begins. */
  readonly intervalMs: number;
  /** How long after the first failure a run begins again; each further one takes twice as long, up to the interval. */
  readonly retryMs: number;
  /** The pause between batches, for other work of the database. */
  readonly pauseMs: number;
  readonly batchSize: number;
}

const OPTIONS: PurgeOptions = { intervalMs: 600_000, retryMs: 10_000, pauseMs: 50, batchSize: BATCH_SIZE };

/**
 * Removes rows that are no longer needed: each purge on a timer of its own, in batches until nothing is left. A failed run is retried,
 * and logged once until one succeeds.
 */
export class Purges {
  readonly #purges: readonly Purge[];
  readonly #metrics: Metrics;
  readonly #options: PurgeOptions;
  readonly #stop = new AbortController();
  #running: readonly Promise<void>[] = [];

  constructor(purges: readonly Purge[], metrics: Metrics, options: Partial<PurgeOptions> = {}) {
    this.#purges = purges;
    this.#metrics = metrics;
    this.#options = { ...OPTIONS, ...options };
    for (const { name } of purges) metrics.purges.of(name);
  }

  start(log: PurgeLog): void {
    if (this.#running.length === 0) this.#running = this.#purges.map((purge) => this.#repeat(purge, log));
  }

  /** Waits for the batches in progress; what is left is removed after the next start. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  /** Runs a purge once, until nothing is left. @throws what the database throws */
  async run(purge: Purge): Promise<void> {
    const { batchSize, pauseMs } = this.#options;
    const counts = this.#metrics.purges.of(purge.name);
    for (let removed = batchSize; removed >= batchSize; ) {
      if (this.#stop.signal.aborted) return;
      removed = await purge.removeBatch(batchSize);
      counts.rows += removed;
      counts.backlogSeconds = await purge.backlogSeconds();
      await this.#wait(pauseMs);
    }
    counts.succeededAt = Date.now() / MS_PER_S;
  }

  async #repeat(purge: Purge, log: PurgeLog): Promise<void> {
    const { intervalMs, retryMs } = this.#options;
    // Replicas that start together do not purge together.
    await this.#wait(Math.random() * Math.min(intervalMs, retryMs));
    for (let failures = 0; !this.#stop.signal.aborted; ) {
      try {
        await this.run(purge);
        if (failures > 0) log.warn({ purge: purge.name, failures }, "a purge succeeds again");
        failures = 0;
      } catch (error) {
        if (failures === 0) log.warn({ purge: purge.name, err: error }, "a purge failed, and is retried");
        this.#metrics.purges.of(purge.name).failures += 1;
        failures += 1;
      }
      await this.#wait(failures === 0 ? intervalMs : Math.min(retryMs * 2 ** (failures - 1), intervalMs));
    }
  }

  async #wait(milliseconds: number): Promise<void> {
    // The timer keeps no process from ending.
    const ended = sleep(milliseconds, undefined, { ref: false, signal: this.#stop.signal });
    await ended.catch((error: unknown) => {
      if (!this.#stop.signal.aborted) throw error;
    });
  }
}
