import type { ReadReplica } from "../../domain/requests/read-replica.js";
import { DomainError } from "../../domain/shared/errors.js";
import { isGivenUpForGood } from "../shared/database-error.js";
import type { RowScope } from "../shared/row-scope.js";
import type { Queryable, Statement } from "../shared/statement.js";

/** A replica did not answer what the database itself may well answer. */
export class ReplicaFailed extends Error {}

/** Reads from one replica. What it cannot answer fails as such, so that whoever asks turns to the database itself. */
export class ReplicaReads implements ReadReplica {
  readonly name: string;
  readonly #of: (scope: RowScope) => Queryable;
  readonly #inFlight = new Set<(reason: ReplicaFailed) => void>();

  /** @param of gives what runs statements on the replica */
  constructor(name: string, of: (scope: RowScope) => Queryable) {
    this.name = name;
    this.#of = of;
  }

  /** Gives what runs single statements that only read. */
  of(scope: RowScope): Queryable {
    return { run: (statement, values) => this.#run(scope, statement, values) };
  }

  /** @throws ReplicaFailed; DomainError `unavailable` when the statement took too long, or too many wait */
  async #run<Row extends object>(
    scope: RowScope,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    let giveUp: ((reason: ReplicaFailed) => void) | undefined;
    try {
      return await new Promise<Row[]>((resolve, reject) => {
        giveUp = reject;
        this.#inFlight.add(reject);
        this.#of(scope).run<Row>(statement, values).then(resolve, reject);
      });
    } catch (error) {
      // To do it all again elsewhere would have the load, of which there is too much, come over the database itself.
      if (error instanceof ReplicaFailed || (error instanceof DomainError && isGivenUpForGood(error)))
        throw error;
      throw new ReplicaFailed(`${this.name} did not answer.`, { cause: error });
    } finally {
      if (giveUp) this.#inFlight.delete(giveUp);
    }
  }

  /** Lets nobody wait any longer for a replica that is out of reach. */
  giveUp(): void {
    const failure = new ReplicaFailed(`${this.name} is out of reach.`);
    for (const giveUp of this.#inFlight) giveUp(failure);
  }
}

/** Runs reads on the scope's replica, if it has one. */
export function replicaReadsOf(scope: RowScope): Queryable | undefined {
  if (scope === "operator" || scope.replica === undefined) return undefined;
  const { replica, ...within } = scope;
  if (!(replica instanceof ReplicaReads))
    throw new TypeError("The replica does not belong to this database.");
  return replica.of(within);
}
