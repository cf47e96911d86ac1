import { DomainError } from "../../domain/shared/errors.js";
import type { ImportOptions } from "../../domain/transfer/imported-record.js";
import type { MappingEntry, MappingReference } from "../../domain/user-groups/mapping.js";
import { lockDataSources } from "../../persistence/data-sources/queries.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";

/** Placeholder ID, used by no data source, for one that an earlier file of the dry run would create. */
const PLACEHOLDER_ID = 0;

/**
 * Finds and locks the data sources of imported mappings, by external ID only: internal IDs differ between installations (decision 45).
 * @returns a function that resolves one reference or throws DomainError `unknown_data_source`
 */
export async function findImportedDataSources(
  transaction: TenantDb,
  references: readonly MappingReference[],
  { dryRun, expected }: ImportOptions,
): Promise<(reference: MappingReference) => MappingEntry> {
  const names = [...new Set(references.map(({ dataSource }) => dataSource))];
  const found = names.length === 0 ? [] : await lockDataSources(transaction, names, []);
  const ids = new Map(found.map(({ providedId, id }) => [providedId, id]));
  return ({ schemaId, dataSource, field }) => {
    const dataSourceId =
      ids.get(dataSource) ?? (dryRun && expected.hasDataSource(dataSource) ? PLACEHOLDER_ID : null);
    if (dataSourceId !== null) return { schemaId, dataSourceId };
    throw new DomainError(
      "unknown_data_source",
      `The environment has no data source with the external ID ${JSON.stringify(dataSource)}. Create it first.`,
      { field },
    );
  };
}
