import type { ReadReplica } from "../../domain/accounts/caller.js";
import { DomainError } from "../../domain/shared/errors.js";
import { isPermanentFailure } from "../shared/database-error.js";
import type { RowScope } from "../shared/row-scope.js";
import type { Queryable, Statement } from "../shared/statement.js";

/** A replica failed to answer; the read can be retried on the primary. */
export class ReplicaFailed extends Error {}

/** Reads from one replica. Its failures are `ReplicaFailed`, so that the caller can retry on the primary. */
export class ReplicaReads implements ReadReplica {
  readonly #inFlight = new Set<(reason: ReplicaFailed) => void>();

  /** @param queryableOf returns the replica's queryable for a scope */
  constructor(
    readonly name: string,
    private readonly queryableOf: (scope: RowScope) => Queryable,
  ) {}

  /** Returns a queryable for single reads. */
  of(scope: RowScope): Queryable {
    return { run: (statement, values) => this.#run(scope, statement, values) };
  }

  /** @throws ReplicaFailed; DomainError `unavailable` when the statement or the request timed out, or the connection queue is full */
  async #run<Row extends object>(
    scope: RowScope,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    let rejectRead: ((reason: ReplicaFailed) => void) | undefined;
    try {
      return await new Promise<Row[]>((resolve, reject) => {
        rejectRead = reject;
        this.#inFlight.add(reject);
        this.queryableOf(scope).run<Row>(statement, values).then(resolve, reject);
      });
    } catch (error) {
      // Not retried on the primary: that would shift the overload to it.
      if (error instanceof ReplicaFailed || (error instanceof DomainError && isPermanentFailure(error)))
        throw error;
      throw new ReplicaFailed(`${this.name} did not answer.`, { cause: error });
    } finally {
      if (rejectRead) this.#inFlight.delete(rejectRead);
    }
  }

  /** Rejects the reads in flight when the replica is unreachable. */
  rejectPending(): void {
    const failure = new ReplicaFailed(`${this.name} is unreachable.`);
    for (const rejectRead of this.#inFlight) rejectRead(failure);
  }
}

/** Returns a replica's queryable for single reads. */
export function readsOf(replica: ReadReplica, within: RowScope): Queryable {
  if (replica instanceof ReplicaReads) return replica.of(within);
  throw new TypeError("The replica does not belong to this database.");
}
