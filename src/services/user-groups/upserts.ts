import type { Writer } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { DomainError, domainErrorOr, invalidField, isNoError } from "../../domain/shared/errors.js";
import type { MappingReference, StoredMapping } from "../../domain/user-groups/mapping.js";
import { issueUserGroupToken } from "../../domain/user-groups/token.js";
import { DEFAULT_FIELDS, type UserGroup, type UserGroupFields } from "../../domain/user-groups/user-group.js";
import type { Database } from "../../persistence/database/database.js";
import { isTransactionConflict } from "../../persistence/shared/database-error.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";
import {
  countPropertiesBytes,
  insertUserGroups,
  lockUserGroups,
  updateUserGroups,
} from "../../persistence/user-groups/bulk-writes.js";
import { replaceMappings } from "../../persistence/user-groups/mapping-bulk-writes.js";
import type { ChangeFeed } from "./change-feed.js";
import { findMappedDataSources, resolveEach } from "./mapping-resolution.js";

/** Returns the error of a valid item that was not written because another item of the request is invalid. */
export function batchRejected(): DomainError {
  return new DomainError(
    "batch_rejected",
    "Nothing was written, because another user group of the request is invalid.",
  );
}

/** Maximum bytes of stored properties per call, with the patch for each group of an update. Each is in memory several times. */
export const MAX_BULK_BYTES = 4 * 1024 * 1024;

/** @throws DomainError `invalid_field` if the stored properties of the groups are too large to be changed in one call */
export async function limitStoredBytes(
  transaction: TenantDb,
  groups: Parameters<typeof countPropertiesBytes>[1],
): Promise<void> {
  const bytes = await countPropertiesBytes(transaction, groups);
  if (bytes <= MAX_BULK_BYTES) return;
  const rule = `has user groups with ${bytes} bytes of properties, more than ${MAX_BULK_BYTES}; send fewer of them in a call`;
  throw invalidField(["userGroups"], rule);
}

const ATTEMPTS = 10;

/** Rolls a transaction back because a missing group was created concurrently. */
export class ConcurrentCreation extends Error {}

/** Retries a transaction that conflicts with others on the same groups. @throws DomainError `unavailable` after ten attempts */
export async function retryConflicts<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ConcurrentCreation) && !isTransactionConflict(error)) throw error;
      if (attempt < ATTEMPTS) continue;
      const message = "The same user groups are being created by concurrent requests. Try again.";
      throw new DomainError("unavailable", message, { retryAfter: 1, cause: error });
    }
  }
}

/** Maximum groups per call, all written in one transaction (decision 30). */
export const MAX_UPSERTS = 1000;

/** A group to create, which requires a name, or to update. Absent fields are unchanged, null clears a field (decision 7). */
export interface UserGroupUpsert extends Partial<UserGroupFields> {
  readonly providedId: string;
  readonly mapping?: readonly MappingReference[];
}

export interface UpsertedGroup {
  readonly userGroup: UserGroup;
  readonly created: boolean;
  /** Whether an existing group was changed. */
  readonly changed: boolean;
}

/** The result of one item. */
type UpsertOutcome = UpsertedGroup | { readonly error: DomainError };

/** Creates and updates groups in bulk. */
export class UserGroupUpserts {
  constructor(
    private readonly db: Database,
    private readonly vault: TokenVault,
    private readonly changes: ChangeFeed,
  ) {}

  /**
   * Creates missing groups and updates existing ones, in one transaction.
   * @param items an error marks an item that failed validation
   * @param allOrNothing whether one invalid item aborts the call
   * @returns an outcome per item, in the order of the items
   */
  async upsert(
    writer: Writer,
    items: readonly (UserGroupUpsert | DomainError)[],
    allOrNothing: boolean,
  ): Promise<UpsertOutcome[]> {
    const checked = rejectDuplicates(items);
    try {
      const outcomes = await retryConflicts(() =>
        this.db
          .for(writer)
          .transaction((transaction) => this.#run(transaction, writer, checked, allOrNothing)),
      );
      this.#publish(writer, outcomes);
      return outcomes;
    } catch (error) {
      if (error instanceof Refusal) return error.outcomes;
      throw error;
    }
  }

  #publish(writer: Writer, outcomes: readonly UpsertOutcome[]): void {
    for (const outcome of outcomes) {
      if (!("userGroup" in outcome)) continue;
      const { userGroup, created, changed } = outcome;
      if (created || changed) this.changes.publish(writer, userGroup.id, created ? "created" : "updated");
    }
  }

  async #run(
    transaction: TenantDb,
    writer: Writer,
    checked: readonly (UserGroupUpsert | DomainError)[],
    allOrNothing: boolean,
  ): Promise<UpsertOutcome[]> {
    const mapped = await resolveMappings(transaction, checked);
    const providedIds = mapped.filter(isNoError).map(({ providedId }) => providedId);
    await limitStoredBytes(transaction, { providedIds });
    const existing = await lockExistingGroups(transaction, providedIds);
    const named = mapped.map((item) =>
      isNoError(item) && item.name === undefined && !existing.has(item.providedId)
        ? new DomainError("invalid_field", "is required", { field: ["name"] })
        : item,
    );
    if (allOrNothing && named.some((item) => !isNoError(item))) throw new Refusal(named);
    const items = named.filter(isNoError);
    const written = await writeUpserts(transaction, items, existing, { vault: this.vault, writer });
    return named.map((item) => {
      if (!isNoError(item)) return { error: item };
      const outcome = written.get(item.providedId);
      if (!outcome) throw new Error("An upserted user group is missing.");
      return outcome;
    });
  }
}

/** A group to write, with a resolved mapping. */
export interface ResolvedUpsert extends Omit<UserGroupUpsert, "mapping"> {
  readonly entries: StoredMapping | undefined;
  /** The token of a new group; without one, a new token is issued. */
  readonly token?: string;
}

/** Loads groups by external ID and locks them until the transaction ends. */
export async function lockExistingGroups(
  transaction: TenantDb,
  providedIds: readonly string[],
): Promise<ReadonlyMap<string, UserGroup>> {
  return providedIds.length === 0 ? new Map() : byProvidedId(await lockUserGroups(transaction, providedIds));
}

/**
 * Creates the groups that are missing and updates those that differ.
 * @param items with distinct external IDs; those of missing groups have a name
 * @param existing the existing groups of the items, locked by the transaction
 * @returns the groups by external ID
 * @throws ConcurrentCreation if a group was created since the lock
 */
export async function writeUpserts(
  transaction: TenantDb,
  items: readonly ResolvedUpsert[],
  existing: ReadonlyMap<string, UserGroup>,
  { vault, writer }: { readonly vault: TokenVault; readonly writer: Writer },
): Promise<ReadonlyMap<string, UpsertedGroup>> {
  const missing = items.filter(({ providedId }) => !existing.has(providedId));
  const rows = missing.map(({ token, ...fields }) => {
    const plaintext = token ?? issueUserGroupToken(writer.accountId);
    const isMapped = (fields.entries?.size ?? 0) > 0;
    return { ...DEFAULT_FIELDS, ...fields, isMapped, token: vault.encryptToken(plaintext, writer) };
  });
  const created = byProvidedId(rows.length === 0 ? [] : await insertUserGroups(transaction, rows));
  // Locking concurrently created groups now, while holding new rows, could deadlock.
  if (created.size < rows.length) throw new ConcurrentCreation();
  const present = new Map([...existing, ...created]);
  const remaps = items.flatMap(({ providedId, entries }) => {
    const id = present.get(providedId)?.id;
    return id === undefined || !entries ? [] : [[id, () => entries] as const];
  });
  const remapped = await replaceMappings(transaction, new Map(remaps));
  const updated = await updateUserGroups(
    transaction,
    items.flatMap((item) => {
      const id = existing.get(item.providedId)?.id;
      return id === undefined ? [] : [{ ...item, id, remapped: remapped.get(id) }];
    }),
  );
  return new Map<string, UpsertedGroup>([
    ...updated.map((each) => [each.userGroup.providedId, { ...each, created: false }] as const),
    ...[...created].map(
      ([providedId, userGroup]) => [providedId, { userGroup, created: true, changed: false }] as const,
    ),
  ]);
}

/** Rolls the transaction back; holds the outcomes of the items. */
class Refusal extends Error {
  readonly outcomes: UpsertOutcome[];

  constructor(items: readonly (ResolvedUpsert | DomainError)[]) {
    super("One invalid item prevents the whole upsert.");
    this.outcomes = items.map((item) => ({ error: isNoError(item) ? batchRejected() : item }));
  }
}

function rejectDuplicates(
  items: readonly (UserGroupUpsert | DomainError)[],
): (UserGroupUpsert | DomainError)[] {
  const seen = new Set<string>();
  return items.map((item) => {
    if (!isNoError(item)) return item;
    if (seen.has(item.providedId)) {
      return new DomainError("invalid_field", "must not be repeated", { field: ["providedId"] });
    }
    seen.add(item.providedId);
    return item;
  });
}

async function resolveMappings(
  transaction: TenantDb,
  items: readonly (UserGroupUpsert | DomainError)[],
): Promise<(ResolvedUpsert | DomainError)[]> {
  const references = items.filter(isNoError).flatMap(({ mapping = [] }) => mapping);
  const resolve = await findMappedDataSources(transaction, references);
  return items.map((item) => {
    if (!isNoError(item)) return item;
    return domainErrorOr(() => ({ ...item, entries: item.mapping && resolveEach(item.mapping, resolve) }));
  });
}

function byProvidedId(groups: readonly UserGroup[]): Map<string, UserGroup> {
  return new Map(groups.map((group) => [group.providedId, group]));
}
