import type { Writer } from "../../domain/accounts/caller.js";
import { lookupOf, type TokenVault } from "../../domain/accounts/token-vault.js";
import { DomainError, domainErrorOr, isNoError } from "../../domain/shared/errors.js";
import { issueUserGroupToken } from "../../domain/user-groups/token.js";
import type { UserGroup, UserGroupRef } from "../../domain/user-groups/user-group.js";
import type { Database } from "../../persistence/database/database.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";
import {
  deleteLockedUserGroups,
  lockReferencedUserGroups,
  rotateLockedUserGroups,
} from "../../persistence/user-groups/bulk-writes.js";
import type { StoredRef } from "../../persistence/user-groups/writes.js";
import type { ChangeFeed } from "./change-feed.js";
import { requireUserGroup, storedRef } from "./reader.js";
import { batchRejected, retryConflicts } from "./upserts.js";

/** Maximum groups per call, all changed in one transaction (decision 30). */
export const MAX_BULK_EDITS = 1000;

/** The result of one item: the group after its rotation, or before its deletion. */
type BulkEditOutcome = { readonly userGroup: UserGroup } | { readonly error: DomainError };

/** The groups to edit. */
export interface BulkEdit {
  /** An error marks an item that failed validation. */
  readonly refs: readonly (UserGroupRef | DomainError)[];
  /** Whether one invalid item aborts the call. */
  readonly allOrNothing: boolean;
}

type Write = (transaction: TenantDb, groups: readonly UserGroup[]) => Promise<readonly UserGroup[]>;

/** Rotates tokens of groups, and deletes groups, in bulk. Each call returns an outcome per item, in the order of the items. */
export class UserGroupBulkEdits {
  /** @param graceSeconds how long a rotated token can still be used to read */
  constructor(
    private readonly db: Database,
    private readonly vault: TokenVault,
    private readonly changes: ChangeFeed,
    private readonly graceSeconds: number,
  ) {}

  async rotateTokens(writer: Writer, edit: BulkEdit): Promise<readonly BulkEditOutcome[]> {
    const outcomes = await this.#run(writer, edit, (transaction, groups) => {
      const rotations = groups.map(({ id }) => {
        return { id, token: this.vault.encryptToken(issueUserGroupToken(writer.accountId), writer) };
      });
      return rotateLockedUserGroups(transaction, rotations, this.graceSeconds);
    });
    for (const id of idsOf(outcomes)) this.changes.publish(writer, id, "tokenRotated");
    return outcomes;
  }

  async delete(writer: Writer, edit: BulkEdit): Promise<readonly BulkEditOutcome[]> {
    const outcomes = await this.#run(writer, edit, (transaction, groups) =>
      deleteLockedUserGroups(
        transaction,
        groups.map(({ id }) => id),
      ),
    );
    for (const id of idsOf(outcomes)) this.changes.publish(writer, id, "deleted");
    return outcomes;
  }

  async #run(writer: Writer, { refs, allOrNothing }: BulkEdit, write: Write): Promise<BulkEditOutcome[]> {
    const stored = refs.map((ref) => domainErrorOr(() => toStoredRef(this.vault, ref)));
    return retryConflicts(() =>
      this.db.for(writer).transaction(async (transaction) => {
        const found = await lockReferencedUserGroups(transaction, stored.filter(isNoError));
        const items = findEach(stored, found);
        if (allOrNothing && !items.every(isNoError)) {
          return items.map((item) => ({ error: isNoError(item) ? batchRejected() : item }));
        }
        const groups = items.filter(isNoError);
        const written = groups.length === 0 ? [] : await write(transaction, groups);
        const byId = new Map(written.map((userGroup) => [userGroup.id, userGroup]));
        return items.map((item) => {
          if (!isNoError(item)) return { error: item };
          return { userGroup: requireUserGroup(byId.get(item.id) ?? null, { by: "id" }) };
        });
      }),
    );
  }
}

/** Returns the group of each reference; an error for one that does not exist or is repeated. */
function findEach(
  refs: readonly (StoredRef | DomainError)[],
  groups: readonly UserGroup[],
): (UserGroup | DomainError)[] {
  const byId = new Map(groups.map((group) => [group.id, group]));
  const byProvidedId = new Map(groups.map((group) => [group.providedId, group]));
  const byLookup = new Map(groups.map((group) => [lookupOf(group.storedToken), group]));
  const find = (ref: StoredRef): UserGroup | undefined => {
    if (ref.by === "id") return byId.get(ref.id);
    if (ref.by === "providedId") return byProvidedId.get(ref.providedId);
    return ref.lookups.map((lookup) => byLookup.get(lookup.toString("hex"))).find((group) => group);
  };
  const seen = new Set<number>();
  return refs.map((ref) => {
    if (!isNoError(ref)) return ref;
    return domainErrorOr(() => {
      const group = requireUserGroup(find(ref) ?? null, ref);
      if (seen.has(group.id)) {
        throw new DomainError("invalid_field", "The same user group must not be repeated.");
      }
      seen.add(group.id);
      return group;
    });
  });
}

function toStoredRef(vault: TokenVault, ref: UserGroupRef | DomainError): StoredRef {
  if (ref instanceof DomainError) throw ref;
  return storedRef(vault, ref);
}

function idsOf(outcomes: readonly BulkEditOutcome[]): number[] {
  return outcomes.flatMap((outcome) => ("userGroup" in outcome ? [outcome.userGroup.id] : []));
}
