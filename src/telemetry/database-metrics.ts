import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Histogram bounds in seconds. */
const STATEMENT_TIMES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10];

/** Current use of a connection pool. */
export interface PoolUsage {
  readonly max: number;
  readonly used: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

/** State of the webhook outbox across all accounts. */
export interface OutboxReading {
  /** Number of due deliveries; at most 1000 per endpoint are counted. */
  readonly due: number;
  /** Lateness of the longest overdue delivery; those to failing endpoints do not count. */
  readonly lateSeconds: number;
  /** The number of endpoints by status. */
  readonly endpoints: Readonly<Record<string, number>>;
  /** Number of transactions since the oldest snapshot of the database. */
  readonly snapshotAge: number;
}

type MeasuredPool = { readonly poolUsage: PoolUsage };

/** Metrics of the database. */
export class DatabaseMetrics {
  readonly statements: Histogram<"statement" | "outcome">;
  readonly connectionWaits: Histogram;
  readonly queueRefusals: Counter;
  readonly retriedStatements: Counter;
  readonly #pools = new Set<MeasuredPool>();

  constructor(registry: Registry) {
    const registers = [registry];
    this.statements = new Histogram({
      name: "user_groups_database_statement_duration_seconds",
      help: "Time that statements took on their connection; the outcome is ok or error.",
      labelNames: ["statement", "outcome"],
      buckets: STATEMENT_TIMES,
      registers,
    });
    this.connectionWaits = new Histogram({
      name: "user_groups_database_connection_wait_seconds",
      help: "Time spent waiting for a connection, including failed attempts.",
      buckets: STATEMENT_TIMES,
      registers,
    });
    this.queueRefusals = new Counter({
      name: "user_groups_database_queue_refusals_total",
      help: "Requests refused because a hundred per connection were waiting for a connection.",
      registers,
    });
    this.retriedStatements = new Counter({
      name: "user_groups_database_statement_repetitions_total",
      help: "Statements retried after a lost connection.",
      registers,
    });
    const sumOf = (pick: (usage: PoolUsage) => number) =>
      [...this.#pools].reduce((total, { poolUsage }) => total + pick(poolUsage), 0);
    new Gauge({
      name: "user_groups_database_connections",
      help: "Connections to the database; the state is used or idle.",
      labelNames: ["state"],
      registers,
      collect() {
        this.set(
          { state: "used" },
          sumOf(({ used }) => used),
        );
        this.set(
          { state: "idle" },
          sumOf(({ idle }) => idle),
        );
      },
    });
    new Gauge({
      name: "user_groups_database_connections_max",
      help: "Maximum number of connections, DATABASE_POOL_SIZE.",
      registers,
      collect() {
        this.set(sumOf(({ max }) => max));
      },
    });
    new Gauge({
      name: "user_groups_database_waiting",
      help: "Requests waiting for a database connection.",
      registers,
      collect() {
        this.set(sumOf(({ waiting }) => waiting));
      },
    });
  }

  addPool(pool: MeasuredPool): void {
    this.#pools.add(pool);
  }

  removePool(pool: MeasuredPool): void {
    this.#pools.delete(pool);
  }
}
