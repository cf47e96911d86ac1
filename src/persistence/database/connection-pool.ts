import type { Pool, PoolClient } from "pg";
import { type Deadline, requireTime } from "../../domain/shared/deadline.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { PoolUsage } from "../../telemetry/database-metrics.js";
import { isConnectionUnusable, translateDatabaseError } from "../shared/database-error.js";
import type { Instruments } from "../shared/statement-instrumentation.js";

const MS_PER_S = 1000;

/** The use of a connection; those without an account share like one more account. */
interface ConnectionUse {
  readonly account: number | undefined;
  readonly isSearch: boolean;
}

type Waiter = ConnectionUse & { readonly start: () => void };

/**
 * The driver's pool with a bounded queue. A free connection goes to the account that uses the fewest, and to each in turn among equals
 * (decision 55).
 */
export class ConnectionPool {
  readonly #inUse = new Set<ConnectionUse>();
  /** By account; the account that was served last comes last. */
  readonly #waiting = new Map<number | undefined, readonly Waiter[]>();

  /** @param queueSize maximum number of callers that wait for a connection, half of them for one account */
  constructor(
    private readonly pool: Pool,
    private readonly queueSize: number,
    private readonly instruments: Pick<Instruments, "metrics">,
  ) {}

  get usage(): PoolUsage {
    const { totalCount, idleCount, options } = this.pool;
    const waiting = [...this.#waiting.values()].flat().length;
    return { max: options.max, used: totalCount - idleCount, idle: idleCount, waiting };
  }

  /**
   * Runs `work` on a connection that no one else uses.
   * @param work may call `drop`: the connection is then closed instead of returned to the pool
   * @throws DomainError `unavailable` when the database is unreachable, the queue is full or the deadline has passed
   */
  async withClient<T>(
    use: ConnectionUse,
    deadline: Deadline | undefined,
    work: (client: PoolClient, drop: (error: Error) => void) => Promise<T>,
  ): Promise<T> {
    requireTime(deadline);
    const { length = 0 } = this.#waiting.get(use.account) ?? [];
    const isFull = this.#waiting.size > 0 && this.usage.waiting >= this.queueSize;
    if (isFull || length >= this.queueSize / 2) {
      this.instruments.metrics.queueRefusals.inc();
      throw new DomainError("unavailable", "The service is overloaded. Try again shortly.", {
        retryAfter: 1,
      });
    }
    try {
      const client = await this.#acquire(use);
      let broken: Error | undefined;
      const drop = (error: Error) => {
        broken = error;
      };
      // The pool handles errors of idle connections only: without a listener, losing this one would crash the process.
      client.on("error", drop);
      try {
        requireTime(deadline);
        return await work(client, drop);
      } catch (error) {
        if (isConnectionUnusable(error)) drop(error);
        throw error;
      } finally {
        client.off("error", drop);
        client.release(broken);
      }
    } catch (error) {
      throw translateDatabaseError(error, use);
    } finally {
      this.#inUse.delete(use);
      if (this.#waiting.size > 0) this.#startNext();
    }
  }

  async #acquire(use: ConnectionUse): Promise<PoolClient> {
    const requestedAt = performance.now();
    try {
      if (!use.isSearch && this.#inUse.size < this.pool.options.max) this.#inUse.add(use);
      else await this.#turn(use);
      return await this.pool.connect();
    } finally {
      this.instruments.metrics.connectionWaits.observe((performance.now() - requestedAt) / MS_PER_S);
    }
  }

  #turn(use: ConnectionUse): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        clearTimeout(timer);
        this.#remove(waiter);
        this.#inUse.add(use);
        resolve();
      };
      const waiter = { ...use, start };
      const timer = setTimeout(() => {
        this.#remove(waiter);
        reject(new Error("Timeout exceeded when trying to connect"));
      }, this.pool.options.connectionTimeoutMillis);
      this.#waiting.set(use.account, [...(this.#waiting.get(use.account) ?? []), waiter]);
      this.#startNext();
    });
  }

  #startNext(): void {
    const { max } = this.pool.options;
    if (this.#inUse.size >= max) return;
    let next: Waiter | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const [account, waiting] of this.#waiting) {
      const own = [...this.#inUse].filter((use) => use.account === account);
      // Even if no one else waits: a running statement cannot be taken back.
      const maySearch = own.filter(({ isSearch }) => isSearch).length < Math.max(1, Math.floor(max / 2));
      const waiter = waiting.find(({ isSearch }) => maySearch || !isSearch);
      if (waiter && own.length < fewest) [next, fewest] = [waiter, own.length];
      if (fewest === 0) break;
    }
    next?.start();
  }

  #remove(waiter: Waiter): void {
    const others = this.#waiting.get(waiter.account)?.filter((each) => each !== waiter) ?? [];
    this.#waiting.delete(waiter.account);
    if (others.length > 0) this.#waiting.set(waiter.account, others);
  }
}
