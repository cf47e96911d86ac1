import { ByLabels, Count, Distribution, HitCount, PurgeCount } from "./counts.js";
import { DatabaseTally } from "./database-tally.js";

/** In seconds. */
const REPLY_TIMES = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/**
 * What a process counts of its own work, in plain numbers: to count costs next to nothing, and whoever wants to know reads them. The
 * labels of each stand in `ByLabels` in the order of its comment.
 */
export class Tally {
  /** How long replies took, by method, route and status. */
  readonly replies = new ByLabels(() => new Distribution(REPLY_TIMES));
  /** Requests whose client has gone before the reply was out. */
  readonly abandonedRequests = new Count();
  /** Requests that exceeded their deadline. */
  readonly requestTimeouts = new Count();
  /** Connections that were refused, by whose limit. */
  readonly refusedConnections = new ByLabels(() => new Count(), [["process"], ["address"]]);
  /** Connections that were ended because of what their peer had not read. */
  readonly endedConnections = new ByLabels(() => new Count(), [["stalled"], ["unsent_budget"]]);
  /** Requests that were refused because of what the process holds: unsent replies, or bodies that are arriving. */
  readonly budgetRefusals = new ByLabels(() => new Count(), [["unsent"], ["bodies"]]);
  /** What was refused or failed, by face and code. */
  readonly errors = new ByLabels(
    () => new Count(),
    [
      ["rest", "internal"],
      ["rest", "unavailable"],
      ["graphql", "internal"],
      ["graphql", "unavailable"],
    ],
  );
  /** How long GraphQL operations ran, by type and outcome. */
  readonly operations = new ByLabels(() => new Distribution(REPLY_TIMES));
  /** The work with databases, by server. */
  readonly databases = new ByLabels(() => new DatabaseTally(), [["primary"]]);
  /** Requests that were begun on a replica and done anew on the database itself. */
  readonly repeatedReads = new Count();
  /** How many calls went with one statement, by what they ask for. */
  readonly batches = new ByLabels(() => new Distribution(BATCH_SIZES));
  readonly caches = {
    apiKeys: new HitCount(),
    tokens: new HitCount(),
    documents: new HitCount(),
    compiledOperations: new HitCount(),
  } as const;
  /** Requests that a rate limit refused, by its policy. */
  readonly rateLimitRefusals = new ByLabels(() => new Count(), [["requests"], ["auth-failures"]]);
  /** Event streams that were refused, by what has as many as it may. */
  readonly streamRefusals = new ByLabels(
    () => new Count(),
    [["token"], ["api_key"], ["address"], ["process"]],
  );
  /** Event streams that were ended because of what their clients had not read, or of an event's size. */
  readonly streamCutOffs = new ByLabels(
    () => new Count(),
    [["slow_consumer"], ["event_too_large"], ["process_memory"]],
  );
  /** Large site configurations that were not processed because too many waited. */
  readonly siteConfigRefusals = new Count();
  /** Credentials that were not valid. */
  readonly authenticationFailures = new Count();
  /** Attempts to deliver a webhook, by what became of the delivery. */
  readonly webhookAttempts = new ByLabels(() => new Count(), [["delivered"], ["failed"], ["dead"]]);
  /** The removal of rows that are no longer needed, by purge. */
  readonly purges = new ByLabels(() => new PurgeCount());
  /** Batches of spans, by whether they reached the collector of traces. */
  readonly spanExports = new ByLabels(() => new Count(), [["sent"], ["failed"]]);
}
