import { setTimeout as sleep } from "node:timers/promises";
import type { Metrics } from "../../telemetry/metrics.js";

/** Rows per statement; small, to keep row locks short. */
const BATCH_SIZE = 2000;
const MS_PER_S = 1000;

/** A recurring deletion of expired rows. */
export interface Purge {
  /** Label in metrics and the log. */
  readonly name: string;
  /** Deletes up to `limit` rows and returns their number; fewer than `limit` means that none are left. */
  removeBatch(limit: number): Promise<number>;
  /** Returns how long the oldest expired row is overdue, in seconds. */
  backlogSeconds(): Promise<number>;
}

export interface PurgeLog {
  warn(details: object, message: string): void;
}

export interface PurgeOptions {
  /** Time between the end of a run and the start of the next one. */
  readonly intervalMs: number;
  /** Delay before the first retry; doubles with each further failure, up to the interval. */
  readonly retryMs: number;
  /** Pause between batches, to leave the database capacity for requests. */
  readonly pauseMs: number;
  readonly batchSize: number;
}

const OPTIONS: PurgeOptions = { intervalMs: 600_000, retryMs: 10_000, pauseMs: 50, batchSize: BATCH_SIZE };

/**
 * Deletes expired rows in batches, each purge on its own timer. A failed run is retried; only the first failure of a series is logged.
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

  /** Stops after the batches in progress; remaining rows are deleted after the next start. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
  }

  /** Runs a purge until no expired rows are left. */
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
    // Random delay: replicas that start together must not purge together.
    await this.#wait(Math.random() * Math.min(intervalMs, retryMs));
    for (let failures = 0; !this.#stop.signal.aborted; ) {
      try {
        await this.run(purge);
        if (failures > 0) log.warn({ purge: purge.name, failures }, "purge recovered");
        failures = 0;
      } catch (error) {
        if (failures === 0) log.warn({ purge: purge.name, err: error }, "purge failed and will be retried");
        this.#metrics.purges.of(purge.name).failures += 1;
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
