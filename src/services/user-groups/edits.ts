import type { Writer } from "../../domain/accounts/caller.js";
import type { UserGroup, UserGroupChanges } from "../../domain/user-groups/user-group.js";
import type { Database } from "../../persistence/database/database.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";
import {
  rotateFreeUserGroups,
  type TokenChange,
  updateFreeUserGroups,
} from "../../persistence/user-groups/bulk-writes.js";
import { findUserGroupsByProvidedIds } from "../../persistence/user-groups/reads.js";
import {
  rotateUserGroupToken,
  type StoredRef,
  type UpdatedUserGroup,
  updateUserGroup,
} from "../../persistence/user-groups/writes.js";
import { apartByKey, writerOf } from "../shared/collected-writes.js";
import { type Collecting, Collector } from "../shared/collector.js";

interface Update {
  readonly writer: Writer;
  readonly ref: Exclude<StoredRef, { readonly by: "token" }>;
  readonly changes: Pick<UserGroupChanges, "name" | "properties">;
}

interface Rotation {
  readonly writer: Writer;
  readonly change: TokenChange;
}

/** Undefined: it was not done together with the others, and is still to be done alone. */
type Outcome<Result> = Result | null | undefined;

/**
 * Changes rows of groups. What requests with one API key change at the same time goes with one statement, but for groups that another
 * transaction holds, and for a group's second change: these go alone, and wait for nobody but their own group.
 */
export class UserGroupEdits {
  readonly #db: Database;
  readonly #graceSeconds: number;
  readonly #updates: Collector<Update, Outcome<UpdatedUserGroup>, Writer>;
  readonly #rotations: Collector<Rotation, Outcome<UserGroup>, Writer>;

  /** @param graceSeconds how long a rotated token may still be used to read */
  constructor(db: Database, graceSeconds: number, collecting: Collecting) {
    this.#db = db;
    this.#graceSeconds = graceSeconds;
    this.#updates = new Collector(
      "user_group_updates",
      async (writer, updates) => {
        const [first, second] = updates;
        return first && !second
          ? [await this.#updateAlone(first)]
          : this.#together(
              writer,
              await this.#changesOf(writer, updates),
              updateFreeUserGroups,
              ({ userGroup }) => userGroup.id,
            );
      },
      collecting,
      { apart: apartByKey },
    );
    this.#rotations = new Collector(
      "user_group_rotations",
      async (writer, rotations) => {
        const [first, second] = rotations;
        return first && !second
          ? [await this.#rotateAlone(first)]
          : this.#together(
              writer,
              rotations,
              (db, changes) => rotateFreeUserGroups(db, changes, graceSeconds),
              ({ id }) => id,
            );
      },
      collecting,
      { apart: apartByKey },
    );
  }

  /** Changes a group's name and properties; what is absent stays. @returns null when there is no such group */
  async update(writer: Writer, ref: StoredRef, changes: Update["changes"]): Promise<UpdatedUserGroup | null> {
    if (ref.by === "token") return updateUserGroup(this.#db.for(writer), ref, changes);
    const update = { writer, ref, changes };
    const [updated] = await this.#updates.load(writer, [update]);
    return updated === undefined ? this.#updateAlone(update) : updated;
  }

  /** Gives a group a new token. @returns null when its token has none of the hashes: another rotation came first */
  async rotate(writer: Writer, change: TokenChange): Promise<UserGroup | null> {
    const rotation = { writer, change };
    const [rotated] = await this.#rotations.load(writer, [rotation]);
    return rotated === undefined ? this.#rotateAlone(rotation) : rotated;
  }

  #updateAlone({ writer, ref, changes }: Update): Promise<UpdatedUserGroup | null> {
    return updateUserGroup(this.#db.for(writer), ref, changes);
  }

  #rotateAlone({ writer, change: { id, currentLookups, token } }: Rotation): Promise<UserGroup | null> {
    const db = this.#db.for(writer);
    return rotateUserGroupToken(db, id, currentLookups, token, this.#graceSeconds);
  }

  /** The updates by internal ids; of a group that is not there, null. */
  async #changesOf(writer: Writer, updates: readonly Update[]) {
    const providedIds = updates.flatMap(({ ref }) => (ref.by === "providedId" ? [ref.providedId] : []));
    const found = await findUserGroupsByProvidedIds(this.#db.for(writer), providedIds);
    const ids = new Map(found.map(({ id, providedId }) => [providedId, id]));
    return updates.map(({ writer, ref, changes }) => {
      const id = ref.by === "id" ? ref.id : ids.get(ref.providedId);
      return { writer, change: id === undefined ? null : { ...changes, id } };
    });
  }

  /** Writes the first change of each group with one statement. */
  async #together<Change extends { readonly id: number }, Result>(
    writer: Writer,
    edits: readonly { readonly writer: Writer; readonly change: Change | null }[],
    write: (db: TenantDb, changes: readonly Change[]) => Promise<Result[]>,
    idOf: (result: Result) => number,
  ): Promise<Outcome<Result>[]> {
    const changes = new Map<number, Change>();
    const requests: (readonly [id: number, requestId: string | null])[] = [];
    for (const { writer, change } of edits) {
      if (!change || changes.has(change.id)) continue;
      changes.set(change.id, change);
      requests.push([change.id, writer.actor.requestId]);
    }
    const written = await write(this.#db.for(writerOf(writer, requests)), [...changes.values()]);
    const results = new Map(written.map((result) => [idOf(result), result]));
    return edits.map(({ change }) =>
      change && changes.get(change.id) === change ? results.get(change.id) : undefined,
    );
  }
}
