import { Counter, Histogram, Labeled } from "./counters.js";

/** Histogram bounds in seconds. */
const STATEMENT_TIMES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10];

export type DatabaseServer = "primary" | "replica";

/** Current use of a connection pool. */
export interface PoolUsage {
  readonly max: number;
  readonly used: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

/** Metrics of the primary, or of all replicas together. */
export class DatabaseMetrics {
  /** Duration by statement name and outcome. */
  readonly statements = new Labeled(() => new Histogram(STATEMENT_TIMES));
  /** Wait for a connection, including failed attempts. */
  readonly connectionWaits = new Histogram(STATEMENT_TIMES);
  /** Calls rejected because the connection queue was full. */
  readonly queueRefusals = new Counter();
  /** Statements retried after a lost connection or a schema change. */
  readonly retriedStatements = new Counter();
  readonly pools = new Set<{ readonly poolUsage: PoolUsage }>();
}
