import { ByLabels, Count, Distribution, HitCount } from "./counts.js";
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
  /** Credentials that were not valid. */
  readonly authenticationFailures = new Count();
  /** Attempts to deliver a webhook, by what became of the delivery. */
  readonly webhookAttempts = new ByLabels(() => new Count(), [["delivered"], ["failed"], ["dead"]]);
  /** Batches of spans, by whether they reached the collector of traces. */
  readonly spanExports = new ByLabels(() => new Count(), [["sent"], ["failed"]]);
}
