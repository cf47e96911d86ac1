import { setTimeout as sleep } from "node:timers/promises";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import { findAccountIds } from "../../persistence/accounts/account-queries.js";
import type { Database } from "../../persistence/database/database.js";
import {
  expiredCount,
  findCandidates,
  inspectPurges,
  overdueSeconds,
  type Purge,
  readFromIndex,
  removeBatch,
  tryPurgeLock,
} from "../../persistence/shared/purge-queries.js";
import type { Queryable } from "../../persistence/shared/statement.js";
import type { Metrics } from "../../telemetry/metrics.js";

const ACCOUNTS_PER_PAGE = 1000;

interface PurgeLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

export interface PurgeOptions {
  /** Time between runs of a process. */
  readonly intervalMs: number;
  /** Time until a failed run is repeated. */
  readonly retryMs: number;
  /** Pause after each batch, to leave the database capacity for requests. */
  readonly pauseMs: number;
  /** Maximum rows of a statement; small, to keep row locks short. */
  readonly batchSize: number;
}

const OPTIONS: PurgeOptions = { intervalMs: 3_600_000, retryMs: 300_000, pauseMs: 50, batchSize: 2000 };

/** Rows by purge. */
type PurgeCounts = ReadonlyMap<string, number>;

/** The purges of one tenant, or of the tables without tenants, and a transaction within its row scope. */
interface PurgeScope {
  readonly accountId: number;
  readonly purges: readonly Purge[];
  readonly transaction: <T>(work: (within: Queryable, raw: Queryable) => Promise<T>) => Promise<T>;
}

/**
 * Removes expired rows of all tenants in batches, each in a transaction that holds an advisory lock: of all processes, one removes rows at
 * a time. A purge that fails is left out until the run is repeated; only the first failure of a series is logged.
 */
export class PurgeJob {
  readonly #options: PurgeOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(
    private readonly db: Database,
    private readonly purges: readonly Purge[],
    private readonly metrics: Metrics,
    options: Partial<PurgeOptions> = {},
  ) {
    this.#options = { ...OPTIONS, ...options };
    for (const { name } of purges) {
      metrics.purgedRows.inc({ purge: name }, 0);
      metrics.purgeFailures.inc({ purge: name }, 0);
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
    const counts = new Map(this.purges.map(({ name }) => [name, 0]));
    for await (const { purges, transaction } of this.#scopes()) {
      const found = await transaction((within) => inspectPurges(within, purges, expiredCount));
      for (const [index, { name }] of purges.entries())
        counts.set(name, (counts.get(name) ?? 0) + (found[index] ?? 0));
    }
    return counts;
  }

  /**
   * Removes the rows that have expired.
   * @returns null if another process is purging
   * @throws AggregateError of the purges that failed; the others have run
   */
  async run(): Promise<PurgeCounts | null> {
    const { purgeBacklogs, purgeFailures, lastPurges } = this.metrics;
    const rows = new Map(this.purges.map(({ name }) => [name, 0]));
    const backlogs = new Map(rows);
    const failures = new Map<string, unknown>();
    for await (const scope of this.#scopes()) {
      if (this.#stop.signal.aborted) return rows;
      const overdue = await scope.transaction((within) =>
        inspectPurges(within, scope.purges, overdueSeconds),
      );
      for (const [index, purge] of scope.purges.entries()) {
        const { name } = purge;
        const seconds = overdue[index] ?? null;
        if (seconds === null || failures.has(name)) continue;
        backlogs.set(name, Math.max(backlogs.get(name) ?? 0, seconds));
        purgeBacklogs.set({ purge: name }, backlogs.get(name) ?? 0);
        try {
          const removed = await this.#purge(scope, purge);
          if (removed === null) {
            // The process that removes rows reports the backlog.
            purgeBacklogs.reset();
            return null;
          }
          rows.set(name, (rows.get(name) ?? 0) + removed);
        } catch (error) {
          failures.set(name, error);
        }
        if (this.#stop.signal.aborted) return rows;
      }
    }
    for (const purge of rows.keys()) {
      if (failures.has(purge)) purgeFailures.inc({ purge });
      else {
        lastPurges.setToCurrentTime({ purge });
        purgeBacklogs.set({ purge }, 0);
      }
    }
    if (failures.size > 0)
      throw new AggregateError(failures.values(), `These purges failed: ${[...failures.keys()].join(", ")}.`);
    return rows;
  }

  /** @returns the number of rows; null if another process is purging */
  async #purge({ accountId, transaction }: PurgeScope, purge: Purge): Promise<number | null> {
    const { batchSize: limit, pauseMs } = this.#options;
    let rows = 0;
    for (const candidates of await transaction((within) => findCandidates(within, purge))) {
      for (let isMore = true; isMore && !this.#stop.signal.aborted; ) {
        const batch = await transaction(async (within, raw) =>
          (await tryPurgeLock(raw)) ? removeBatch(within, accountId, purge, { limit, candidates }) : null,
        );
        if (batch === null) return null;
        rows += batch;
        this.metrics.purgedRows.inc({ purge: purge.name }, batch);
        await this.#wait(pauseMs);
        isMore = batch === limit;
      }
    }
    return rows;
  }

  /** The tables without tenants, then each environment of each account, so that a statement reads one tenant's rows within its row scope. */
  async *#scopes(): AsyncGenerator<PurgeScope> {
    const isShared = (purge: Purge) => purge.isShared === true;
    const shared = this.purges.filter(isShared);
    const purges = this.purges.filter((purge) => !isShared(purge));
    if (shared.length > 0)
      yield {
        accountId: 0,
        purges: shared,
        transaction: (work) =>
          this.db.transaction("operator", async (within) => {
            await readFromIndex(within);
            return work(within, within);
          }),
      };
    const operator = this.db.manager("read", "account_ids");
    for (let ids = await findAccountIds(operator, 0, ACCOUNTS_PER_PAGE); ids.length > 0; ) {
      for (const accountId of ids) {
        for (const environment of ENVIRONMENTS) {
          const tenant = this.db.for({ accountId, environment });
          yield {
            accountId,
            purges,
            transaction: (work) =>
              tenant.transaction(async (within) => {
                await readFromIndex(within.raw);
                return work(within, within.raw);
              }),
          };
        }
      }
      ids = await findAccountIds(operator, ids.at(-1) ?? 0, ACCOUNTS_PER_PAGE);
    }
  }

  async #repeat(log: PurgeLog): Promise<void> {
    const { intervalMs, retryMs } = this.#options;
    // Random delay: replicas that start together do not compete for the lock.
    await this.#wait(Math.random() * Math.min(intervalMs, retryMs));
    for (let failures = 0; !this.#stop.signal.aborted; ) {
      try {
        const rows = await this.run();
        if (rows)
          log.info({ rows: Object.fromEntries([...rows].filter(([, count]) => count > 0)) }, "purged");
        if (failures > 0) log.warn({ failures }, "purge recovered");
        failures = 0;
      } catch (error) {
        if (failures === 0) log.warn({ err: error }, "purge failed and will be retried");
        failures += 1;
      }
      await this.#wait(failures === 0 ? intervalMs : retryMs);
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
