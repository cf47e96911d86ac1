import type { Writer } from "../../domain/accounts/caller.js";
import type { ImportedMapping, ImportOptions } from "../../domain/transfer/imported-record.js";
import { catchRefusal, type ImportOutcome, Refusal } from "../../domain/transfer/refusal.js";
import { MAX_MAPPING_ENTRIES } from "../../domain/user-groups/mapping.js";
import type { Database } from "../../persistence/database/database.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";
import { findExistingGroups } from "../../persistence/transfer/imported-group-queries.js";
import { updateUserGroups } from "../../persistence/user-groups/bulk-writes.js";
import { type GroupEntry, putMappings } from "../../persistence/user-groups/mapping-bulk-writes.js";
import type { ChangeFeed } from "../user-groups/change-feed.js";
import { findMappedIds } from "./group-import-plan.js";
import { findImportedDataSources } from "./imported-mapping.js";

/** Adds entries to the mappings of groups, replacing the data source of schemas that are already mapped. */
export class MappingImport {
  readonly #db: Database;
  readonly #changes: ChangeFeed;

  constructor(db: Database, changes: ChangeFeed) {
    this.#db = db;
    this.#changes = changes;
  }

  /**
   * Writes the entries that differ from the stored mappings, in one transaction.
   * @param items must have distinct pairs of group and schema ID
   * @returns an outcome per line, in the order of the lines
   */
  async run(
    writer: Writer,
    items: readonly ImportedMapping[],
    options: ImportOptions,
  ): Promise<ImportOutcome[]> {
    if (options.dryRun) return (await plan(this.#db.for(writer), items, options)).outcomes;
    const { outcomes, entries } = await this.#db.for(writer).transaction(async (transaction) => {
      const planned = await plan(transaction, items, options);
      const ids = new Set(planned.entries.map(({ userGroupId }) => userGroupId));
      const changes = [...ids].map((id) => ({ id, mappingChanged: true }));
      await updateUserGroups(transaction, changes);
      await putMappings(transaction, planned.entries);
      return planned;
    });
    for (const id of new Set(entries.map(({ userGroupId }) => userGroupId))) {
      this.#changes.publish(writer, id, "updated");
    }
    return outcomes;
  }
}

async function plan(
  transaction: TenantDb,
  items: readonly ImportedMapping[],
  options: ImportOptions,
): Promise<{ readonly outcomes: ImportOutcome[]; readonly entries: readonly GroupEntry[] }> {
  const references = items.map(({ reference }) => reference);
  const resolve = await findImportedDataSources(transaction, references, options);
  const providedIds = [...new Set(items.map(({ userGroupId }) => userGroupId))];
  const found = await findExistingGroups(transaction, providedIds, !options.dryRun);
  const ids = new Map(found.map(({ providedId, id }) => [providedId, id]));
  const mappings = await findMappedIds(transaction, [...ids.values()]);
  const sizes = new Map([...mappings].map(([id, mapping]) => [id, mapping.size]));
  const entries: GroupEntry[] = [];
  const outcomes = items.map(({ userGroupId, reference }): ImportOutcome => {
    const entry = catchRefusal(() => resolve(reference));
    if (entry instanceof Refusal) return entry;
    const id = ids.get(userGroupId);
    if (id === undefined) {
      if (options.dryRun && options.expected.hasUserGroup(userGroupId)) return "created";
      return new Refusal("user_group_not_found", "No user group has this ID.", ["user_group_id"]);
    }
    const before = mappings.get(id)?.get(entry.schemaId);
    if (before === entry.dataSourceId) return "unchanged";
    const size = sizes.get(id) ?? 0;
    if (before === undefined && size >= MAX_MAPPING_ENTRIES) {
      const rule = `would have more than ${MAX_MAPPING_ENTRIES} entries.`;
      return new Refusal("invalid_field", rule, ["mapping"]);
    }
    if (before === undefined) sizes.set(id, size + 1);
    entries.push({ ...entry, userGroupId: id });
    return before === undefined ? "created" : "updated";
  });
  return { outcomes, entries };
}
