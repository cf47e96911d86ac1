import type { ReadConsistency } from "../../domain/requests/read-consistency.js";
import type { ReadReplica } from "../../domain/requests/read-replica.js";
import type { ReadReplicas } from "../../persistence/database/read-replicas.js";
import { ReplicaFailed } from "../../persistence/database/replica-reads.js";
import type { Metrics } from "../../telemetry/metrics.js";

/** What is read by whoever takes it from a replica: the whole of a request from one, so that it never goes back in time. */
export type ReadFrom<Result> = (replica: ReadReplica | undefined) => Promise<Result>;

/** Has requests that only read, and say that they may see what is a little old, read from replicas (decision 47). */
export class ReplicaRouter {
  readonly #replicas: Pick<ReadReplicas, "choose"> | undefined;
  readonly #usually: ReadConsistency;
  readonly #metrics: Metrics;

  /** @param usually what requests get that do not say what they want */
  constructor(
    replicas: Pick<ReadReplicas, "choose"> | undefined,
    usually: ReadConsistency,
    metrics: Metrics,
  ) {
    this.#replicas = replicas;
    this.#usually = usually;
    this.#metrics = metrics;
  }

  /**
   * @param read reads for a request; it may be asked twice, the second time from the database itself
   * @throws what `read` throws there
   */
  async run<Result>(asked: ReadConsistency | undefined, read: ReadFrom<Result>): Promise<Result> {
    const replica = (asked ?? this.#usually) === "eventual" ? this.#replicas?.choose() : undefined;
    if (!replica) return read(undefined);
    try {
      return await read(replica);
    } catch (error) {
      if (!hasFailed(error)) throw error;
      this.#metrics.repeatedReads.value += 1;
      return read(undefined);
    }
  }
}

/** Says whether an error means that a replica did not answer. */
export function hasFailed(error: unknown): boolean {
  return error instanceof ReplicaFailed;
}
