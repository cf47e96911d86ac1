import { CacheStats, Counter, Histogram, Labeled, PurgeStats } from "./counters.js";
import { DatabaseMetrics } from "./database-metrics.js";

/** Histogram bounds in seconds. */
const REPLY_TIMES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/**
 * The metrics of a process, as plain numbers: recording is cheap, and the exporter reads them at scrape time. The comment of a `Labeled`
 * metric lists its labels in order.
 */
export class Metrics {
  /** Request duration by method, route and status. */
  readonly replies = new Labeled(() => new Histogram(REPLY_TIMES));
  /** Requests whose client disconnected before the response was sent. */
  readonly abandonedRequests = new Counter();
  /** Requests that exceeded their deadline. */
  readonly requestTimeouts = new Counter();
  /** Rejected connections by limit. */
  readonly refusedConnections = new Labeled(() => new Counter(), [["process"], ["address"]]);
  /** Connections closed because of data that the client had not read, by reason. */
  readonly endedConnections = new Labeled(() => new Counter(), [["stalled"], ["unsent_budget"]]);
  /** Requests refused to protect the process, by the limit that was reached. */
  readonly shedRequests = new Labeled(
    () => new Counter(),
    [["process"], ["address"], ["event_loop"], ["heap"], ["bodies"], ["unsent"]],
  );
  /** Errors by API and code. */
  readonly errors = new Labeled(
    () => new Counter(),
    [
      ["rest", "internal"],
      ["rest", "unavailable"],
      ["graphql", "internal"],
      ["graphql", "unavailable"],
    ],
  );
  /** Duration of GraphQL operations by type and outcome. */
  readonly operations = new Labeled(() => new Histogram(REPLY_TIMES));
  /** Database metrics by server. */
  readonly databases = new Labeled(() => new DatabaseMetrics(), [["primary"]]);
  /** Requests retried on the primary after a replica failed. */
  readonly retriedReads = new Counter();
  /** Calls per statement, by batch loader. */
  readonly batches = new Labeled(() => new Histogram(BATCH_SIZES));
  readonly caches = {
    apiKeys: new CacheStats(),
    tokens: new CacheStats(),
    documents: new CacheStats(),
    compiledOperations: new CacheStats(),
  } as const;
  /** Requests rejected by a rate limit, by policy. */
  readonly rateLimitRefusals = new Labeled(() => new Counter(), [["requests"], ["auth-failures"]]);
  /** Rejected event streams by the limit that was reached. */
  readonly streamRefusals = new Labeled(
    () => new Counter(),
    [["token"], ["api_key"], ["address"], ["process"]],
  );
  /** Event streams ended because of unread events or the size of an event, by reason. */
  readonly streamCutOffs = new Labeled(() => new Counter(), [["slow_consumer"], ["event_too_large"]]);
  /** Requests with invalid credentials. */
  readonly authenticationFailures = new Counter();
  /** Created embed sessions. */
  readonly embedSessions = new Counter();
  /** Webhook delivery attempts by outcome. */
  readonly webhookAttempts = new Labeled(() => new Counter(), [["delivered"], ["failed"], ["dead"]]);
  /** Statistics by purge. */
  readonly purges = new Labeled(() => new PurgeStats());
  /** Exported batches of spans by outcome. */
  readonly spanExports = new Labeled(() => new Counter(), [["sent"], ["failed"]]);
}
