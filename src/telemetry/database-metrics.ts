import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/** Histogram bounds in seconds. */
const STATEMENT_TIMES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10];

/** Value of the label `server`; all replicas together have one. */
export type DatabaseServer = "primary" | "replica";

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

/** Metrics of the database servers. */
export class DatabaseMetrics {
  readonly statements: Histogram<"server" | "statement" | "outcome">;
  readonly connectionWaits: Histogram<"server">;
  readonly queueRefusals: Counter<"server">;
  readonly retriedStatements: Counter<"server">;
  readonly #pools = new Map<DatabaseServer, Set<MeasuredPool>>();

  constructor(registry: Registry) {
    const registers = [registry];
    this.statements = new Histogram({
      name: "user_groups_database_statement_duration_seconds",
      help: "Time that statements took on their connection; the outcome is ok or error.",
      labelNames: ["server", "statement", "outcome"],
      buckets: STATEMENT_TIMES,
      registers,
    });
    this.connectionWaits = new Histogram({
      name: "user_groups_database_connection_wait_seconds",
      help: "Time spent waiting for a connection, including failed attempts.",
      labelNames: ["server"],
      buckets: STATEMENT_TIMES,
      registers,
    });
    this.queueRefusals = new Counter({
      name: "user_groups_database_queue_refusals_total",
      help: "Requests refused because a hundred per connection were waiting for a connection.",
      labelNames: ["server"],
      registers,
    });
    this.retriedStatements = new Counter({
      name: "user_groups_database_statement_repetitions_total",
      help: "Statements retried after a lost connection.",
      labelNames: ["server"],
      registers,
    });
    const sumsOf = (pick: (usage: PoolUsage) => number) =>
      [...this.#pools].map(([server, pools]) => {
        const sum = [...pools].reduce((total, { poolUsage }) => total + pick(poolUsage), 0);
        return { server, sum };
      });
    new Gauge({
      name: "user_groups_database_connections",
      help: "Connections to the database; the state is used or idle.",
      labelNames: ["server", "state"],
      registers,
      collect() {
        for (const { server, sum } of sumsOf(({ used }) => used)) this.set({ server, state: "used" }, sum);
        for (const { server, sum } of sumsOf(({ idle }) => idle)) this.set({ server, state: "idle" }, sum);
      },
    });
    new Gauge({
      name: "user_groups_database_connections_max",
      help: "Maximum number of connections, DATABASE_POOL_SIZE per server.",
      labelNames: ["server"],
      registers,
      collect() {
        for (const { server, sum } of sumsOf(({ max }) => max)) this.set({ server }, sum);
      },
    });
    new Gauge({
      name: "user_groups_database_waiting",
      help: "Requests waiting for a database connection.",
      labelNames: ["server"],
      registers,
      collect() {
        for (const { server, sum } of sumsOf(({ waiting }) => waiting)) this.set({ server }, sum);
      },
    });
  }

  addPool(server: DatabaseServer, pool: MeasuredPool): void {
    const pools = this.#pools.get(server);
    if (pools) {
      pools.add(pool);
      return;
    }
    this.#pools.set(server, new Set([pool]));
    this.connectionWaits.zero({ server });
    this.queueRefusals.inc({ server }, 0);
    this.retriedStatements.inc({ server }, 0);
  }

  removePool(server: DatabaseServer, pool: MeasuredPool): void {
    this.#pools.get(server)?.delete(pool);
  }
}
