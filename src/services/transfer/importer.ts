import type { Writer } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import type { DataSource } from "../../domain/data-sources/data-source.js";
import { DomainError } from "../../domain/shared/errors.js";
import { OperatorError } from "../../domain/shared/operator-error.js";
import {
  catchRefusal,
  type ImportedDataSource,
  type ImportedGroup,
  type ImportedMapping,
  type ImportOptions,
  type ImportOutcome,
  Refusal,
} from "../../domain/transfer/imported-record.js";
import type { UserGroupChange } from "../../domain/user-groups/change.js";
import {
  MAX_MAPPING_ENTRIES,
  type MappingEntry,
  type MappingReference,
  type StoredMapping,
  toStoredMapping,
} from "../../domain/user-groups/mapping.js";
import { isImportedToken } from "../../domain/user-groups/token.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import { findTokenKey } from "../../persistence/accounts/account-queries.js";
import {
  insertDataSource,
  lockDataSources,
  updateDataSource,
} from "../../persistence/data-sources/queries.js";
import type { Database } from "../../persistence/database/database.js";
import { violates } from "../../persistence/shared/database-error.js";
import type { TenantTransaction } from "../../persistence/shared/tenant-db.js";
import {
  analyzeImported,
  lockUserGroups,
  rotateLockedUserGroups,
  updateUserGroups,
} from "../../persistence/user-groups/bulk-writes.js";
import { putImportedTokens } from "../../persistence/user-groups/imported-token-queries.js";
import { replaceMappings } from "../../persistence/user-groups/mapping-bulk-writes.js";
import { findMappings } from "../../persistence/user-groups/mapping-queries.js";
import type { ChangeFeed } from "../user-groups/change-feed.js";
import {
  ConcurrentCreation,
  lockExistingGroups,
  type ResolvedUpsert,
  retryConflicts,
  writeUpserts,
} from "../user-groups/upserts.js";
import { ImportedTokens } from "./imported-tokens.js";

/** ANALYZE runs once this many groups were created, and again whenever their number has grown by the factor. */
const ANALYZE_FROM = 2000;
const ANALYZE_FACTOR = 4;

/** Constraints that another writer's row violates if it was committed after the batch looked for it. */
const TAKEN = ["user_group_token_uq", "data_source_provided_id_uq"];

/** A batch that was written: an outcome per line, in the order of the lines, and the changes of groups. */
interface WrittenBatch {
  readonly outcomes: ImportOutcome[];
  readonly changes: readonly Pick<UserGroupChange, "id" | "kind">[];
}

/** Rolls a dry run back. */
class DryRun extends Error {
  constructor(readonly batch: WrittenBatch) {
    super("A dry run changes nothing.");
  }
}

interface ImporterDependencies {
  readonly db: Database;
  readonly vault: TokenVault;
  readonly changes: ChangeFeed;
  /** Receives problems that do not affect the import of any line. */
  warn(message: string): void;
}

/**
 * Imports batches of records, each in one transaction, with existing tokens of groups (decision 45). A rejected line does not affect other
 * lines, and a batch that was imported before changes nothing. The lines of a batch have distinct IDs and tokens.
 */
export class Importer {
  /** External IDs that would exist after the earlier batches of a dry run. */
  readonly #expected = { dataSources: new Set<string>(), groups: new Set<string>() };
  #created = 0;
  #analyzeAt = ANALYZE_FROM;
  #hasWarned = false;

  constructor(
    private readonly deps: ImporterDependencies,
    private readonly writer: Writer,
    private readonly options: ImportOptions,
  ) {}

  /** Creates missing data sources and renames those that differ. @returns an outcome per line */
  async dataSources(items: readonly ImportedDataSource[]): Promise<ImportOutcome[]> {
    const providedIds = items.map(({ providedId }) => providedId);
    const outcomes = await retryConflicts(() =>
      this.#run(async (transaction) => {
        const found = await lockDataSources(transaction, providedIds, []);
        const present = new Map(found.map((source) => [source.providedId, source]));
        const written: { outcome: ImportOutcome; changed?: readonly (number | null)[] }[] = [];
        for (const item of items)
          written.push(await putDataSource(transaction, item, present.get(item.providedId)));
        const changed = new Set(written.flatMap((each) => each.changed ?? []));
        return {
          outcomes: written.map(({ outcome }) => outcome),
          changes: [...changed].map((id) => ({ id, kind: "updated" })),
        };
      }),
    );
    this.#expect(this.#expected.dataSources, items, outcomes);
    return outcomes;
  }

  /**
   * Creates missing groups and updates those that differ. @returns an outcome per line
   * @throws OperatorError when the account's tokens are encrypted under a key that is not configured
   */
  async groups(items: readonly ImportedGroup[]): Promise<ImportOutcome[]> {
    const { db, vault } = this.deps;
    const outcomes = await retryConflicts(async () => {
      const tokens = await ImportedTokens.load(db, vault, this.writer, items);
      return this.#run((transaction) => this.#writeGroups(transaction, items, tokens));
    });
    this.#expect(this.#expected.groups, items, outcomes);
    await this.#analyze(outcomes.filter((outcome) => outcome === "created").length);
    return outcomes;
  }

  /** Adds entries to the mappings of groups, and changes those that differ. @returns an outcome per line */
  async mappings(items: readonly ImportedMapping[]): Promise<ImportOutcome[]> {
    return retryConflicts(() => this.#run((transaction) => this.#writeMappings(transaction, items)));
  }

  /** Runs a batch in one transaction, which a dry run rolls back. */
  async #run(work: (transaction: TenantTransaction) => Promise<WrittenBatch>): Promise<ImportOutcome[]> {
    const { db, changes } = this.deps;
    try {
      const batch = await db.for(this.writer).transaction(async (transaction) => {
        const written = await work(transaction);
        if (this.options.dryRun) throw new DryRun(written);
        return written;
      });
      for (const { id, kind } of batch.changes) changes.publish(this.writer, id, kind);
      return batch.outcomes;
    } catch (error) {
      if (error instanceof DryRun) return error.batch.outcomes;
      throw TAKEN.some((constraint) => violates(error, constraint)) ? new ConcurrentCreation() : error;
    }
  }

  async #writeGroups(
    transaction: TenantTransaction,
    items: readonly ImportedGroup[],
    tokens: ImportedTokens,
  ): Promise<WrittenBatch> {
    const { vault } = this.deps;
    const references = items.flatMap(({ mapping = [] }) => mapping);
    const resolve = await this.#findDataSources(transaction, references);
    const providedIds = items.map(({ providedId }) => providedId);
    const existing = await lockExistingGroups(transaction, providedIds);
    const checked = items.map((item): ResolvedUpsert | Refusal => {
      const entries = catchRefusal(() => item.mapping && toStoredMapping(item.mapping.map(resolve)));
      return entries instanceof Refusal
        ? entries
        : this.#check(item, entries, existing.get(item.providedId), tokens);
    });
    // Read the key after waiting for locks: re-encryption waits only briefly for writers that still use the former key.
    const writer = { ...this.writer, tokenKeyId: await this.#tokenKey(transaction) };
    const valid = checked.flatMap((item) => (item instanceof Refusal ? [] : [item]));
    // A dry run inserts no groups: although rolled back, they would slow down the foreign key checks of later batches.
    const upserts = valid.filter(({ providedId }) => !this.options.dryRun || existing.has(providedId));
    const written = await writeUpserts(transaction, upserts, existing, { vault, writer });

    const given = valid.flatMap(({ providedId, token }) => {
      const group = written.get(providedId);
      return !group || token === undefined ? [] : [{ ...group, token }];
    });
    const rotations = given.filter(({ created }) => !created);
    if (rotations.length > 0) {
      const rows = rotations.map(({ userGroup: { id }, token }) => ({
        id,
        token: vault.encryptToken(token, writer),
      }));
      await rotateLockedUserGroups(transaction, rows, 0);
    }
    const imported = given.filter(({ token }) => isImportedToken(writer.accountId, token));
    await putImportedTokens(
      transaction,
      imported.map(({ userGroup: { id }, token }) => ({
        userGroupId: id,
        lookup: vault.lookup(token, writer.tokenKeyId),
      })),
    );

    const changes: Pick<UserGroupChange, "id" | "kind">[] = [];
    const outcomes = checked.map((item): ImportOutcome => {
      if (item instanceof Refusal) return item;
      const group = written.get(item.providedId);
      if (!group) return "created";
      const { userGroup, created, changed } = group;
      if (!created && !changed && item.token === undefined) return "unchanged";
      const changeKind = item.token === undefined ? "updated" : "tokenRotated";
      changes.push({ id: userGroup.id, kind: created ? "created" : changeKind });
      return created ? "created" : "updated";
    });
    return { outcomes, changes };
  }

  /** @returns the group to write, with a token only if the group does not have it */
  #check(
    { token, mapping: _, ...fields }: ImportedGroup,
    entries: StoredMapping | undefined,
    group: UserGroup | undefined,
    tokens: ImportedTokens,
  ): ResolvedUpsert | Refusal {
    if (!group && fields.name === undefined)
      return new Refusal("invalid_field", "is required to create a user group.", ["name"]);
    if (token === undefined || (group && tokens.isTokenOf(token, group))) return { ...fields, entries };
    if (group && !this.options.replaceTokens) {
      return new Refusal(
        "token_differs",
        "The user group already has a different token. Use --replace-tokens to overwrite it.",
        ["token"],
      );
    }
    return tokens.isTaken(token)
      ? new Refusal("token_taken", "Another user group has this token.", ["token"])
      : { ...fields, entries, token };
  }

  async #writeMappings(
    transaction: TenantTransaction,
    items: readonly ImportedMapping[],
  ): Promise<WrittenBatch> {
    const resolve = await this.#findDataSources(
      transaction,
      items.map(({ reference }) => reference),
    );
    const providedIds = [...new Set(items.map(({ userGroupId }) => userGroupId))];
    const groups = await lockUserGroups(transaction, providedIds);
    const ids = new Map(groups.map(({ providedId, id }) => [providedId, id]));
    const mappings = new Map(
      [...(await findMappings(transaction, [...ids.values()]))].map(([id, mapping]) => [
        id,
        new Map(mapping.map(({ schemaId, dataSource }) => [schemaId, dataSource.id])),
      ]),
    );
    const outcomes = items.map(({ userGroupId, reference }): ImportOutcome => {
      const entry = catchRefusal(() => resolve(reference));
      if (entry instanceof Refusal) return entry;
      const { schemaId, dataSourceId } = entry;
      const id = ids.get(userGroupId);
      if (id === undefined) {
        if (this.#expected.groups.has(userGroupId)) return "created";
        return new Refusal("user_group_not_found", "No user group has this ID.", ["user_group_id"]);
      }
      const mapping = mappings.get(id) ?? new Map<string, number>();
      const before = mapping.get(schemaId);
      if (before === dataSourceId) return "unchanged";
      if (before === undefined && mapping.size >= MAX_MAPPING_ENTRIES) {
        const rule = `would have more than ${MAX_MAPPING_ENTRIES} entries.`;
        return new Refusal("invalid_field", rule, ["mapping"]);
      }
      mappings.set(id, mapping.set(schemaId, dataSourceId));
      return before === undefined ? "created" : "updated";
    });
    const remaps = [...mappings].map(([id, mapping]) => [id, () => mapping] as const);
    const replaced = await replaceMappings(transaction, new Map(remaps));
    const changed = [...replaced].map(([id, remapped]) => ({ id, remapped }));
    await updateUserGroups(transaction, changed);
    return { outcomes, changes: changed.map(({ id }) => ({ id, kind: "updated" })) };
  }

  /**
   * Finds and locks the data sources of mappings, by external ID only: internal IDs differ between installations (decision 45).
   * @returns a function that resolves one reference or throws DomainError `unknown_data_source`
   */
  async #findDataSources(
    transaction: TenantTransaction,
    references: readonly MappingReference[],
  ): Promise<(reference: MappingReference) => MappingEntry> {
    const names = [...new Set(references.map(({ dataSource }) => dataSource))];
    const found = names.length === 0 ? [] : await lockDataSources(transaction, names, []);
    const ids = new Map(found.map(({ providedId, id }) => [providedId, id]));
    for (const name of names) {
      if (ids.has(name) || !this.#expected.dataSources.has(name)) continue;
      ids.set(name, (await insertDataSource(transaction, { providedId: name, name })).id);
    }
    return ({ schemaId, dataSource, field }) => {
      const dataSourceId = ids.get(dataSource);
      if (dataSourceId !== undefined) return { schemaId, dataSourceId };
      throw new DomainError(
        "unknown_data_source",
        `The environment has no data source with the external ID ${JSON.stringify(dataSource)}. Create it with the GraphQL mutation \`createDataSource\`, or import it with \`--data-sources\`.`,
        { field },
      );
    };
  }

  /** Reads the current encryption key: the account's key may change during an import that takes hours. */
  async #tokenKey(transaction: TenantTransaction): Promise<string> {
    const keyId = await findTokenKey(transaction);
    if (this.deps.vault.hasKey(keyId)) return keyId;
    throw new OperatorError(
      `The tokens of account ${JSON.stringify(this.writer.accountName)} are encrypted with key ${keyId}, which is not in ENCRYPTION_KEYS. Run the import again with all of the service's keys.`,
    );
  }

  #expect(
    expected: Set<string>,
    items: readonly { readonly providedId: string }[],
    outcomes: readonly ImportOutcome[],
  ): void {
    if (!this.options.dryRun) return;
    for (const [index, { providedId }] of items.entries())
      if (outcomes[index] === "created") expected.add(providedId);
  }

  async #analyze(created: number): Promise<void> {
    this.#created += created;
    if (this.options.dryRun || this.#created < this.#analyzeAt) return;
    this.#analyzeAt = ANALYZE_FACTOR * this.#created;
    try {
      await analyzeImported(this.deps.db);
    } catch (error) {
      // Only warn: the batch is committed, so failing or retrying would be wrong.
      if (this.#hasWarned) return;
      this.#hasWarned = true;
      const reason = error instanceof Error ? error.message : String(error);
      this.deps.warn(`The tables could not be analyzed, so the import may become slower: ${reason}`);
    }
  }
}

async function putDataSource(
  transaction: TenantTransaction,
  { providedId, name }: ImportedDataSource,
  present: DataSource | undefined,
): Promise<{ outcome: ImportOutcome; changed?: readonly (number | null)[] }> {
  if (present && (name === undefined || name === present.name)) return { outcome: "unchanged" };
  if (name === undefined)
    return { outcome: new Refusal("invalid_field", "is required to create a data source.", ["name"]) };
  if (!present) {
    await insertDataSource(transaction, { providedId, name });
    return { outcome: "created" };
  }
  return { outcome: "updated", changed: await updateDataSource(transaction, present, { providedId, name }) };
}
