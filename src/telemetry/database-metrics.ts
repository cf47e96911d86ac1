import { ByLabels, Counter, Histogram } from "./counters.js";

/** In seconds. */
const STATEMENT_TIMES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10];

/** The database itself, or copies of it that reads come from. */
export type DatabaseServer = "primary" | "replica";

/** How connections are used at the moment. */
export interface PoolUsage {
  readonly most: number;
  readonly used: number;
  readonly idle: number;
  /** How many requests wait for one. */
  readonly waiting: number;
}

/** What a process counts of its work with the database itself, or with all of its replicas. */
export class DatabaseMetrics {
  /** How long statements ran, by name and outcome. */
  readonly statements = new ByLabels(() => new Histogram(STATEMENT_TIMES));
  /** How long a connection was waited for, in vain too. */
  readonly connectionWaits = new Histogram(STATEMENT_TIMES);
  /** Requests that were refused because too many wait for a connection. */
  readonly queueRefusals = new Counter();
  /** Statements that ran once more because their connection was lost. */
  readonly repeatedStatements = new Counter();
  /** What has connections now. */
  readonly pools = new Set<{ readonly poolUsage: PoolUsage }>();
}
