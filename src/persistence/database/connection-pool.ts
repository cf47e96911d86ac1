import type { Pool, PoolClient } from "pg";
import { type Deadline, requireTime } from "../../domain/shared/deadline.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { DatabaseMetrics, PoolUsage } from "../../telemetry/database-metrics.js";
import { isConnectionUnusable, translateDatabaseError } from "../shared/database-error.js";

const MS_PER_S = 1000;

/** The driver's pool with a bounded queue. */
export class ConnectionPool {
  readonly #pool: Pool;
  readonly #queueSize: number;
  readonly #metrics: DatabaseMetrics;

  /** @param queueSize maximum number of callers that wait for a connection */
  constructor(pool: Pool, queueSize: number, metrics: DatabaseMetrics) {
    this.#pool = pool;
    this.#queueSize = queueSize;
    this.#metrics = metrics;
  }

  get usage(): PoolUsage {
    const { totalCount, idleCount, waitingCount, options } = this.#pool;
    return { max: options.max, used: totalCount - idleCount, idle: idleCount, waiting: waitingCount };
  }

  /**
   * Runs `work` on a connection that no one else uses.
   * @param work may call `drop`: the connection is then closed instead of returned to the pool
   * @throws DomainError `unavailable` when the database is unreachable, the queue is full or the deadline has passed
   */
  async withClient<T>(
    deadline: Deadline | undefined,
    work: (client: PoolClient, drop: (error: Error) => void) => Promise<T>,
  ): Promise<T> {
    requireTime(deadline);
    if (this.#pool.waitingCount >= this.#queueSize) {
      this.#metrics.queueRefusals.value += 1;
      throw overload();
    }
    try {
      const client = await this.#acquire();
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
      throw translateDatabaseError(error);
    }
  }

  async #acquire(): Promise<PoolClient> {
    const requestedAt = performance.now();
    try {
      return await this.#pool.connect();
    } finally {
      this.#metrics.connectionWaits.record((performance.now() - requestedAt) / MS_PER_S);
    }
  }
}

function overload(): DomainError {
  return new DomainError("unavailable", "The service is overloaded. Try again shortly.", {
    retryAfter: 1,
  });
}
