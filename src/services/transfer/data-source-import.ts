import type { Writer } from "../../domain/accounts/caller.js";
import type { ImportedDataSource, ImportOptions } from "../../domain/transfer/imported-record.js";
import { type ImportOutcome, Refusal } from "../../domain/transfer/refusal.js";
import { findDataSourcesByProvidedIds } from "../../persistence/data-sources/queries.js";
import type { Database } from "../../persistence/database/database.js";
import {
  insertDataSources,
  lockDataSourcesToRename,
  renameDataSources,
} from "../../persistence/transfer/imported-data-source-queries.js";

export class DataSourceImport {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * Creates missing data sources and renames existing ones, in one transaction.
   * @param items must have distinct external IDs
   * @returns an outcome per line, in the order of the lines
   */
  async run(
    writer: Writer,
    items: readonly ImportedDataSource[],
    { dryRun }: ImportOptions,
  ): Promise<ImportOutcome[]> {
    const providedIds = items.map(({ providedId }) => providedId);
    if (dryRun) {
      const found = await findDataSourcesByProvidedIds(this.#db.for(writer), providedIds);
      const names = new Map(found.map(({ providedId, name }) => [providedId, name]));
      return items.map((item) => outcomeOf(item, names.get(item.providedId)));
    }
    return this.#db.for(writer).transaction(async (transaction) => {
      const named = items.flatMap(({ providedId, name }) =>
        name === undefined ? [] : [{ providedId, name }],
      );
      // Insert first, without a prior check: a data source could be created between check and insert.
      const created = await insertDataSources(transaction, named);
      const others = providedIds.filter((providedId) => !created.has(providedId));
      const found = await lockDataSourcesToRename(transaction, others);
      const present = new Map(found.map((source) => [source.providedId, source]));
      await renameDataSources(
        transaction,
        named.flatMap(({ providedId, name }) => {
          const source = present.get(providedId);
          return source && source.name !== name ? [{ id: source.id, name }] : [];
        }),
      );
      return items.map((item) =>
        created.has(item.providedId) ? "created" : outcomeOf(item, present.get(item.providedId)?.name),
      );
    });
  }
}

/** @param present name of the existing data source, if any */
function outcomeOf({ name }: ImportedDataSource, present: string | undefined): ImportOutcome {
  if (present !== undefined) return name === undefined || name === present ? "unchanged" : "updated";
  if (name !== undefined) return "created";
  return new Refusal("invalid_field", "is required to create a data source.", ["name"]);
}
