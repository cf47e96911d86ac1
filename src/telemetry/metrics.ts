import { ByLabels, CacheStats, Counter, Histogram, PurgeStats } from "./counters.js";
import { DatabaseMetrics } from "./database-metrics.js";

/** In seconds. */
const REPLY_TIMES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/**
 * What a process counts of its own work, in plain numbers: to count costs next to nothing, and whoever wants to know reads them. The
 * labels of each stand in `ByLabels` in the order of its comment.
 */
export class Metrics {
  /** How long replies took, by method, route and status. */
  readonly replies = new ByLabels(() => new Histogram(REPLY_TIMES));
  /** Requests whose client has gone before the reply was out. */
  readonly abandonedRequests = new Counter();
  /** Requests that exceeded their deadline. */
  readonly requestTimeouts = new Counter();
  /** Connections that were refused, by whose limit. */
  readonly refusedConnections = new ByLabels(() => new Counter(), [["process"], ["address"]]);
  /** Connections that were ended because of what their peer had not read. */
  readonly endedConnections = new ByLabels(() => new Counter(), [["stalled"], ["unsent_budget"]]);
  /** Requests that were refused because of what the process holds: unsent replies, or bodies that are arriving. */
  readonly budgetRefusals = new ByLabels(() => new Counter(), [["unsent"], ["bodies"]]);
  /** What was refused or failed, by face and code. */
  readonly errors = new ByLabels(
    () => new Counter(),
    [
      ["rest", "internal"],
      ["rest", "unavailable"],
      ["graphql", "internal"],
      ["graphql", "unavailable"],
    ],
  );
  /** How long GraphQL operations ran, by type and outcome. */
  readonly operations = new ByLabels(() => new Histogram(REPLY_TIMES));
  /** The work with databases, by server. */
  readonly databases = new ByLabels(() => new DatabaseMetrics(), [["primary"]]);
  /** Requests that were begun on a replica and done anew on the database itself. */
  readonly repeatedReads = new Counter();
  /** How many calls went with one statement, by what they ask for. */
  readonly batches = new ByLabels(() => new Histogram(BATCH_SIZES));
  readonly caches = {
    apiKeys: new CacheStats(),
    tokens: new CacheStats(),
    documents: new CacheStats(),
    compiledOperations: new CacheStats(),
  } as const;
  /** Requests that a rate limit refused, by its policy. */
  readonly rateLimitRefusals = new ByLabels(() => new Counter(), [["requests"], ["auth-failures"]]);
  /** Event streams that were refused, by what has as many as it may. */
  readonly streamRefusals = new ByLabels(
    () => new Counter(),
    [["token"], ["api_key"], ["address"], ["process"]],
  );
  /** Event streams that were ended because of what their clients had not read, or of an event's size. */
  readonly streamCutOffs = new ByLabels(
    () => new Counter(),
    [["slow_consumer"], ["event_too_large"], ["process_memory"]],
  );
  /** Large site configurations that were not processed because too many waited. */
  readonly siteConfigRefusals = new Counter();
  /** Credentials that were not valid. */
  readonly authenticationFailures = new Counter();
  /** Attempts to deliver a webhook, by what became of the delivery. */
  readonly webhookAttempts = new ByLabels(() => new Counter(), [["delivered"], ["failed"], ["dead"]]);
  /** The removal of rows that are no longer needed, by purge. */
  readonly purges = new ByLabels(() => new PurgeStats());
  /** Batches of spans, by whether they reached the collector of traces. */
  readonly spanExports = new ByLabels(() => new Counter(), [["sent"], ["failed"]]);
}
