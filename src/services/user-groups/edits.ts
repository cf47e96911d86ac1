import type { Writer } from "../../domain/accounts/caller.js";
import { lookupOf, type StoredToken } from "../../domain/accounts/token-vault.js";
import type { UserGroup, UserGroupChanges } from "../../domain/user-groups/user-group.js";
import type { Database } from "../../persistence/database/database.js";
import {
  type RowChange,
  rotateUserGroupTokens,
  type TokenRotation,
  updateUnlockedUserGroups,
} from "../../persistence/user-groups/bulk-writes.js";
import { findUserGroupsByProvidedIds } from "../../persistence/user-groups/reads.js";
import {
  rotateUserGroupToken,
  type StoredRef,
  type UpdatedUserGroup,
  updateUserGroup,
} from "../../persistence/user-groups/writes.js";
import { type Batching, BatchLoader } from "../shared/batch-loader.js";
import { apiKeyBatchKey, batchWriter } from "../shared/batched-writes.js";

interface Update {
  readonly writer: Writer;
  readonly ref: Exclude<StoredRef, { readonly by: "token" }>;
  readonly changes: Pick<UserGroupChanges, "name" | "properties">;
}

interface Rotation extends TokenRotation {
  readonly writer: Writer;
}

/** Undefined if the batch skipped the change, which must then run alone. */
type Outcome<Result> = Result | null | undefined;

/**
 * Updates groups and rotates their tokens. Concurrent changes are batched per API key. A batch skips groups that another transaction
 * has locked and all but the first change of a group; these run alone, so that a lock delays only the changes of its own group.
 */
export class UserGroupEdits {
  readonly #db: Database;
  /** How long a rotated token can still be used to read. */
  readonly graceSeconds: number;
  readonly #updates: BatchLoader<Update, Outcome<UpdatedUserGroup>, Writer>;
  readonly #rotations: BatchLoader<Rotation, Outcome<UserGroup>, Writer>;

  constructor(db: Database, graceSeconds: number, batching: Batching) {
    this.#db = db;
    this.graceSeconds = graceSeconds;
    this.#updates = new BatchLoader(
      "user_group_updates",
      async (writer, updates) => {
        const [first, second] = updates;
        return first && !second
          ? [await this.#updateAlone(first)]
          : this.#updateTogether(writer, await this.#resolveChanges(writer, updates));
      },
      batching,
      { batchKey: apiKeyBatchKey },
    );
    this.#rotations = new BatchLoader(
      "user_group_rotations",
      async (writer, rotations) => {
        const [first, second] = rotations;
        return first && !second ? [await this.#rotateAlone(first)] : this.#rotateTogether(writer, rotations);
      },
      batching,
      { batchKey: apiKeyBatchKey },
    );
  }

  /** Updates a group's name and properties, where present. @returns null if the group does not exist */
  async update(writer: Writer, ref: StoredRef, changes: Update["changes"]): Promise<UpdatedUserGroup | null> {
    if (ref.by === "token") return updateUserGroup(this.#db.for(writer), ref, changes);
    const update = { writer, ref, changes };
    const updated = await this.#updates.load(writer, update);
    return updated === undefined ? this.#updateAlone(update) : updated;
  }

  /** Rotates the token of a group. @param token the new token @returns null if the group does not exist */
  async rotate(writer: Writer, ref: StoredRef, token: StoredToken): Promise<UserGroup | null> {
    if (ref.by !== "token") {
      return rotateUserGroupToken(this.#db.for(writer), ref, token, this.graceSeconds);
    }
    const rotation = { writer, currentLookups: ref.lookups, token };
    const rotated = await this.#rotations.load(writer, rotation);
    return rotated === undefined ? this.#rotateAlone(rotation) : rotated;
  }

  #updateAlone({ writer, ref, changes }: Update): Promise<UpdatedUserGroup | null> {
    return updateUserGroup(this.#db.for(writer), ref, changes);
  }

  #rotateAlone({ writer, currentLookups: lookups, token }: Rotation): Promise<UserGroup | null> {
    return rotateUserGroupToken(this.#db.for(writer), { by: "token", lookups }, token, this.graceSeconds);
  }

  async #rotateTogether(writer: Writer, rotations: readonly Rotation[]): Promise<Outcome<UserGroup>[]> {
    const requests = rotations.map(
      ({ token, writer: { actor } }) => [token.lookup.toString("hex"), actor.requestId] as const,
    );
    const db = this.#db.for(batchWriter(writer, requests));
    const rotated = await rotateUserGroupTokens(db, rotations, this.graceSeconds);
    const byLookup = new Map(rotated.map((group) => [lookupOf(group.storedToken), group]));
    return requests.map(([lookup]) => byLookup.get(lookup));
  }

  /** Resolves the updates to internal IDs; null for a group that does not exist. */
  async #resolveChanges(writer: Writer, updates: readonly Update[]) {
    const providedIds = updates.flatMap(({ ref }) => (ref.by === "providedId" ? [ref.providedId] : []));
    const found = await findUserGroupsByProvidedIds(this.#db.for(writer), providedIds);
    const ids = new Map(found.map(({ id, providedId }) => [providedId, id]));
    return updates.map(({ writer, ref, changes }) => {
      const id = ref.by === "id" ? ref.id : ids.get(ref.providedId);
      return { writer, change: id === undefined ? null : { ...changes, id } };
    });
  }

  /** Writes the first change of each group with one statement. */
  async #updateTogether(
    writer: Writer,
    edits: readonly { readonly writer: Writer; readonly change: RowChange | null }[],
  ): Promise<Outcome<UpdatedUserGroup>[]> {
    const changes = new Map<number, RowChange>();
    const requests: (readonly [id: string, requestId: string | null])[] = [];
    for (const { writer, change } of edits) {
      if (!change || changes.has(change.id)) continue;
      changes.set(change.id, change);
      requests.push([String(change.id), writer.actor.requestId]);
    }
    const db = this.#db.for(batchWriter(writer, requests));
    const updated = await updateUnlockedUserGroups(db, [...changes.values()]);
    const results = new Map(updated.map((result) => [result.userGroup.id, result]));
    return edits.map(({ change }) =>
      change && changes.get(change.id) === change ? results.get(change.id) : undefined,
    );
  }
}
