import type { Writer } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { DomainError, domainErrorOr, invalidField, isNoError } from "../../domain/shared/errors.js";
import type { UserGroupChangeKind } from "../../domain/user-groups/change.js";
import type { StoredMapping } from "../../domain/user-groups/mapping.js";
import { isImportedToken, issueUserGroupToken } from "../../domain/user-groups/token.js";
import { DEFAULT_FIELDS, type UserGroup, type UserGroupUpsert } from "../../domain/user-groups/user-group.js";
import type { Database } from "../../persistence/database/database.js";
import type { TenantDb, TenantTransaction } from "../../persistence/shared/tenant-db.js";
import { putImportedTokens } from "../../persistence/user-groups/imported-token-queries.js";
import { replaceMappings } from "../../persistence/user-groups/mapping-writes.js";
import { lockUserGroups } from "../../persistence/user-groups/reads.js";
import {
  insertUserGroups,
  rotateLockedUserGroups,
  updateUserGroups,
} from "../../persistence/user-groups/writes.js";
import { batchRejected, ConcurrentCreation, limitStoredBytes, retryConflicts } from "./bulk-transactions.js";
import type { ChangeFeed } from "./change-feed.js";
import { findMappedDataSources, resolveEach } from "./mapping-resolution.js";
import type { PropertySchemas } from "./property-schemas.js";
import { TokenOwners } from "./token-owners.js";

/** Maximum groups per call, all written in one transaction (decision 30). */
export const MAX_UPSERTS = 1000;

export interface UpsertedGroup {
  readonly userGroup: UserGroup;
  /** Null if the group had all values already. */
  readonly change: Exclude<UserGroupChangeKind, "deleted"> | null;
}

interface Refused {
  readonly error: DomainError;
}

type PreviewOutcome = Pick<UpsertedGroup, "change"> | Refused;

/** How an import differs from a request (decision 45): its mappings name data sources by external ID only, and the byte limit of requests does not hold. */
export interface ImportRules {
  /** Whether tokens of existing groups are replaced. */
  readonly replacesTokens: boolean;
  /** Reads the ID of the key that encrypts the account's tokens, which may change during an import that takes hours. */
  readonly readTokenKey: (transaction: TenantDb) => Promise<string>;
}

/** Items that a transaction has checked. */
interface CheckedUpserts {
  readonly items: readonly (ResolvedUpsert | DomainError)[];
  /** The groups that exist, by external ID, locked by the transaction. */
  readonly existing: ReadonlyMap<string, UserGroup>;
  readonly writer: Writer;
}

/** An item that can be written. */
interface ResolvedUpsert extends Omit<UserGroupUpsert, "mapping" | "token"> {
  readonly entries: StoredMapping | undefined;
  /** The token to store; undefined if the group has it already, or none is given. */
  readonly token: string | undefined;
}

/** Creates and updates groups in bulk. */
export class UserGroupUpserts {
  constructor(
    private readonly db: Database,
    private readonly vault: TokenVault,
    private readonly changes: ChangeFeed,
    private readonly schemas: PropertySchemas,
  ) {}

  /**
   * Creates missing groups and updates existing ones, in one transaction.
   * @param items an error marks an item that failed validation
   * @param options whether one invalid item prevents all writes; the rules of an import
   * @returns an outcome per item, in the order of the items
   */
  async upsert(
    writer: Writer,
    items: readonly (UserGroupUpsert | DomainError)[],
    { allOrNothing, rules }: { readonly allOrNothing: boolean; readonly rules?: ImportRules },
  ): Promise<(UpsertedGroup | Refused)[]> {
    const outcomes = await this.#transaction(writer, items, async (transaction, owners) => {
      const checked = await checkUpserts(transaction, writer, rejectDuplicates(items), {
        owners,
        rules,
        schemas: this.schemas,
      });
      if (allOrNothing && !checked.items.every(isNoError)) return checked.items.map(refuse);
      const written = await writeUpserts(transaction, checked, this.vault);
      return outcomesOf(checked, ({ providedId }) => {
        const outcome = written.get(providedId);
        if (!outcome) throw new Error("An upserted user group is missing.");
        return outcome;
      });
    });
    for (const outcome of outcomes) {
      if ("change" in outcome && outcome.change !== null)
        this.changes.publish(writer, outcome.userGroup.id, outcome.change);
    }
    return outcomes;
  }

  /**
   * Returns what `upsert` would do with the items of an import, and changes nothing.
   * @param prepare creates what the items refer to; it is rolled back, too
   */
  async preview(
    writer: Writer,
    items: readonly UserGroupUpsert[],
    rules: ImportRules,
    prepare: (transaction: TenantTransaction) => Promise<void>,
  ): Promise<PreviewOutcome[]> {
    try {
      return await this.#transaction(writer, items, async (transaction, owners) => {
        await prepare(transaction);
        const checked = await checkUpserts(transaction, writer, items, {
          owners,
          rules,
          schemas: this.schemas,
        });
        // Inserted rows, although rolled back, would slow down the foreign key checks of later transactions.
        const present = checked.items.filter(
          (item) => isNoError(item) && checked.existing.has(item.providedId),
        );
        const written = await writeUpserts(transaction, { ...checked, items: present }, this.vault);
        throw new Preview(
          outcomesOf(checked, ({ providedId }) => ({ change: written.get(providedId)?.change ?? "created" })),
        );
      });
    } catch (error) {
      if (error instanceof Preview) return error.outcomes;
      throw error;
    }
  }

  #transaction<Result>(
    writer: Writer,
    items: readonly (UserGroupUpsert | DomainError)[],
    work: (transaction: TenantTransaction, owners: TokenOwners) => Promise<Result>,
  ): Promise<Result> {
    const tokens = items.filter(isNoError).flatMap(({ token }) => token ?? []);
    return retryConflicts(async () => {
      const owners = await TokenOwners.find(this.db, this.vault, writer, tokens);
      return this.db.for(writer).transaction((transaction) => work(transaction, owners));
    });
  }
}

/** Rolls a preview back. */
class Preview extends Error {
  constructor(readonly outcomes: PreviewOutcome[]) {
    super("A preview changes nothing.");
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

/** Resolves mappings, locks the groups that exist, and finds the items that cannot be written. */
async function checkUpserts(
  transaction: TenantDb,
  writer: Writer,
  items: readonly (UserGroupUpsert | DomainError)[],
  {
    owners,
    rules,
    schemas,
  }: {
    readonly owners: TokenOwners;
    readonly rules: ImportRules | undefined;
    readonly schemas: PropertySchemas;
  },
): Promise<CheckedUpserts> {
  const valid = items.filter(isNoError);
  const references = valid.flatMap(({ mapping = [] }) => mapping);
  const resolve = await findMappedDataSources(transaction, references, rules === undefined);
  const providedIds = valid.map(({ providedId }) => providedId);
  if (!rules) await limitStoredBytes(transaction, { providedIds });
  const existing = byProvidedId(
    providedIds.length === 0 ? [] : await lockUserGroups(transaction, providedIds),
  );
  const checkProperties = await schemas.check(transaction);
  const check = ({ mapping, token, ...fields }: UserGroupUpsert): ResolvedUpsert => {
    const entries = mapping && resolveEach(mapping, resolve);
    const group = existing.get(fields.providedId);
    if (!group && fields.name === undefined) throw invalidField(["name"], "is required");
    if (!group || fields.properties !== undefined)
      checkProperties(["properties"], fields.properties ?? null, group?.properties);
    const replaces = rules?.replacesTokens === true;
    return { ...fields, entries, token: owners.tokenToStore(fields.providedId, token, { group, replaces }) };
  };
  return {
    items: items.map((item) => (isNoError(item) ? domainErrorOr(() => check(item)) : item)),
    existing,
    // Read the key after waiting for locks: re-encryption waits only briefly for writers that still use the former key.
    writer: rules ? { ...writer, tokenKeyId: await rules.readTokenKey(transaction) } : writer,
  };
}

/**
 * Creates the groups that are missing and updates those that differ.
 * @returns the groups by external ID
 * @throws ConcurrentCreation if a group was created since the lock
 */
async function writeUpserts(
  transaction: TenantDb,
  { items: checked, existing, writer }: CheckedUpserts,
  vault: TokenVault,
): Promise<ReadonlyMap<string, UpsertedGroup>> {
  const items = checked.filter(isNoError);
  const missing = items.filter(({ providedId }) => !existing.has(providedId));
  const rows = missing.map(({ token = issueUserGroupToken(writer.accountId), ...fields }) => {
    const isMapped = (fields.entries?.size ?? 0) > 0;
    return { ...DEFAULT_FIELDS, ...fields, isMapped, token: vault.encryptToken(token, writer) };
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
  const given = items.flatMap(({ providedId, token }) => {
    const group = present.get(providedId);
    return group && token !== undefined ? [{ group, token }] : [];
  });
  const rotated = await storeTokens(transaction, given, { created, writer, vault });
  return new Map<string, UpsertedGroup>([
    ...[...created].map(([providedId, userGroup]) => [providedId, { userGroup, change: "created" }] as const),
    ...updated.map(
      ({ userGroup, changed }) =>
        [userGroup.providedId, { userGroup, change: changed ? "updated" : null }] as const,
    ),
    ...[...rotated].map(
      ([providedId, userGroup]) => [providedId, { userGroup, change: "tokenRotated" }] as const,
    ),
  ]);
}

/** Gives existing groups the imported tokens, and records all that do not name the account. @returns the groups that existed */
async function storeTokens(
  transaction: TenantDb,
  given: readonly { readonly group: UserGroup; readonly token: string }[],
  {
    created,
    writer,
    vault,
  }: {
    readonly created: ReadonlyMap<string, UserGroup>;
    readonly writer: Writer;
    readonly vault: TokenVault;
  },
): Promise<ReadonlyMap<string, UserGroup>> {
  const rotations = given
    .filter(({ group }) => !created.has(group.providedId))
    .map(({ group, token }) => ({ id: group.id, token: vault.encryptToken(token, writer) }));
  const rotated = rotations.length === 0 ? [] : await rotateLockedUserGroups(transaction, rotations, 0);
  const imported = given
    .filter(({ token }) => isImportedToken(writer.accountId, token))
    .map(({ group, token }) => ({ userGroupId: group.id, lookup: vault.lookup(token, writer.tokenKeyId) }));
  await putImportedTokens(transaction, imported);
  return byProvidedId(rotated);
}

function outcomesOf<Outcome extends object>(
  { items }: CheckedUpserts,
  outcomeOf: (item: ResolvedUpsert) => Outcome,
): (Outcome | Refused)[] {
  return items.map((item) => (isNoError(item) ? outcomeOf(item) : { error: item }));
}

/** The outcome of an item of a call that writes nothing. */
function refuse(item: ResolvedUpsert | DomainError): Refused {
  return { error: isNoError(item) ? batchRejected() : item };
}

function byProvidedId(groups: readonly UserGroup[]): Map<string, UserGroup> {
  return new Map(groups.map((group) => [group.providedId, group]));
}
