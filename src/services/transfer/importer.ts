import type { Writer } from "../../domain/accounts/caller.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { OperatorError } from "../../domain/shared/operator-error.js";
import { type ImportedDataSource, type ImportOutcome, Refusal } from "../../domain/transfer/record.js";
import type { UserGroupUpsert } from "../../domain/user-groups/user-group.js";
import { findTokenKey } from "../../persistence/accounts/account-queries.js";
import {
  insertDataSource,
  lockDataSources,
  updateDataSource,
} from "../../persistence/data-sources/queries.js";
import type { Database } from "../../persistence/database/database.js";
import type { TenantDb, TenantTransaction } from "../../persistence/shared/tenant-db.js";
import { analyzeImported } from "../../persistence/user-groups/writes.js";
import { retryConflicts } from "../user-groups/bulk-transactions.js";
import type { ChangeFeed } from "../user-groups/change-feed.js";
import { PropertySchemas } from "../user-groups/property-schemas.js";
import { UserGroupUpserts } from "../user-groups/upserts.js";

/** ANALYZE runs once this many groups were created, and again whenever their number has grown by the factor. */
const ANALYZE_FROM = 2000;
const ANALYZE_FACTOR = 4;

interface ImporterDependencies {
  readonly db: Database;
  readonly vault: TokenVault;
  readonly changes: ChangeFeed;
  /** Receives problems that do not affect the import of any line. */
  warn(message: string): void;
}

interface ImportOptions {
  /** Report the outcome without changing anything. */
  readonly dryRun: boolean;
  /** Overwrite existing tokens with those in the file. */
  readonly replaceTokens: boolean;
}

/**
 * Imports batches of records, each in one transaction (decision 45). A rejected line does not affect other lines, and a batch that was
 * imported before changes nothing. The lines of a batch have distinct IDs and tokens.
 */
export class Importer {
  readonly #upserts: UserGroupUpserts;
  /** External IDs of the data sources that a dry run would have created. */
  readonly #previewed = new Set<string>();
  #created = 0;
  #analyzeAt = ANALYZE_FROM;
  #hasWarned = false;

  constructor(
    private readonly deps: ImporterDependencies,
    private readonly writer: Writer,
    private readonly options: ImportOptions,
  ) {
    this.#upserts = new UserGroupUpserts(deps.db, deps.vault, deps.changes, new PropertySchemas(deps.db));
  }

  /** Creates missing data sources and renames those that differ. @returns an outcome per line */
  async dataSources(items: readonly ImportedDataSource[]): Promise<ImportOutcome[]> {
    const { outcomes, changedGroups } = await retryConflicts(() =>
      this.deps.db.for(this.writer).transaction((transaction) => this.#putDataSources(transaction, items)),
    );
    for (const id of changedGroups) this.deps.changes.publish(this.writer, id, "updated");
    if (this.options.dryRun) {
      for (const [index, { providedId }] of items.entries())
        if (outcomes[index] === "created") this.#previewed.add(providedId);
    }
    return outcomes;
  }

  /**
   * Creates missing groups and updates those that differ. @returns an outcome per line
   * @throws OperatorError when the account's tokens are encrypted under a key that is not configured
   */
  async groups(items: readonly UserGroupUpsert[]): Promise<ImportOutcome[]> {
    const rules = {
      replacesTokens: this.options.replaceTokens,
      readTokenKey: (transaction: TenantDb) => this.#readTokenKey(transaction),
    };
    const results = this.options.dryRun
      ? await this.#upserts.preview(this.writer, items, rules, (transaction) =>
          this.#createPreviewed(transaction, items),
        )
      : await this.#upserts.upsert(this.writer, items, { allOrNothing: false, rules });
    const outcomes = results.map((result): ImportOutcome => {
      if ("error" in result) return Refusal.of(result.error);
      if (result.change === null) return "unchanged";
      return result.change === "created" ? "created" : "updated";
    });
    if (!this.options.dryRun) await this.#analyze(outcomes.filter((outcome) => outcome === "created").length);
    return outcomes;
  }

  async #putDataSources(transaction: TenantTransaction, items: readonly ImportedDataSource[]) {
    const providedIds = items.map(({ providedId }) => providedId);
    const present = new Map(
      (await lockDataSources(transaction, providedIds, [])).map((source) => [source.providedId, source]),
    );
    const outcomes: ImportOutcome[] = [];
    const changedGroups = new Set<number | null>();
    for (const { providedId, name } of items) {
      const existing = present.get(providedId);
      if (existing && (name === undefined || name === existing.name)) {
        outcomes.push("unchanged");
      } else if (name === undefined) {
        outcomes.push(new Refusal("invalid_field", "is required to create a data source.", ["name"]));
      } else {
        outcomes.push(existing ? "updated" : "created");
        if (this.options.dryRun) continue;
        if (!existing) await insertDataSource(transaction, { providedId, name });
        else {
          const { mappedBy } = await updateDataSource(transaction, existing, { providedId, name });
          for (const id of mappedBy) changedGroups.add(id);
        }
      }
    }
    return { outcomes, changedGroups };
  }

  /** Creates the data sources that a dry run has only counted, as far as the groups refer to them. */
  async #createPreviewed(transaction: TenantTransaction, items: readonly UserGroupUpsert[]): Promise<void> {
    const named = new Set(items.flatMap(({ mapping = [] }) => mapping.map(({ dataSource }) => dataSource)));
    const missing = new Set([...named].filter((name) => this.#previewed.has(name)));
    for (const { providedId } of await lockDataSources(transaction, [...missing], []))
      missing.delete(providedId);
    for (const name of missing) await insertDataSource(transaction, { providedId: name, name });
  }

  async #readTokenKey(transaction: TenantDb): Promise<string> {
    const keyId = await findTokenKey(transaction);
    if (this.deps.vault.hasKey(keyId)) return keyId;
    throw new OperatorError(
      `The tokens of account ${JSON.stringify(this.writer.accountName)} are encrypted with key ${keyId}, which is not in ENCRYPTION_KEYS. Run the import again with all of the service's keys.`,
    );
  }

  async #analyze(created: number): Promise<void> {
    this.#created += created;
    if (this.#created < this.#analyzeAt) return;
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
