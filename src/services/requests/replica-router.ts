import type { ReadReplica } from "../../domain/accounts/caller.js";
import type { ReadConsistency } from "../../domain/requests/read-consistency.js";
import type { ReadReplicas } from "../../persistence/database/read-replicas.js";
import { ReplicaFailed } from "../../persistence/database/replica-reads.js";
import type { Metrics } from "../../telemetry/metrics.js";

/** Reads for a request, from one replica throughout so that reads are monotonic; from the primary if undefined. */
type ReadFrom<Result> = (replica: ReadReplica | undefined) => Promise<Result>;

/** Routes read-only requests that accept eventual consistency to replicas (decision 47). */
export class ReplicaRouter {
  /** @param defaultConsistency default for requests that do not specify a consistency */
  constructor(
    private readonly replicas: Pick<ReadReplicas, "choose"> | undefined,
    private readonly defaultConsistency: ReadConsistency,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Runs `read` on a replica if the request accepts it; repeats it on the primary if the replica fails.
   * @param read may be called twice
   */
  async run<Result>(requested: ReadConsistency | undefined, read: ReadFrom<Result>): Promise<Result> {
    const replica =
      (requested ?? this.defaultConsistency) === "eventual" ? this.replicas?.choose() : undefined;
    if (!replica) return read(undefined);
    try {
      return await read(replica);
    } catch (error) {
      if (!isReplicaFailure(error)) throw error;
      this.metrics.retriedReads.inc();
      return read(undefined);
    }
  }
}

/** Returns whether an error means that a replica failed. */
export function isReplicaFailure(error: unknown): boolean {
  return error instanceof ReplicaFailed;
}
