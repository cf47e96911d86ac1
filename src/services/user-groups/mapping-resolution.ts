import { DomainError } from "../../domain/shared/errors.js";
import { FieldErrors } from "../../domain/shared/field-parsing.js";
import { parseInternalId } from "../../domain/shared/internal-id.js";
import {
  type MappingEntry,
  type MappingReference,
  type StoredMapping,
  toStoredMapping,
} from "../../domain/user-groups/mapping.js";
import { lockDataSources } from "../../persistence/data-sources/queries.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";

/**
 * Resolves the data sources of a mapping by external ID first, then by internal ID (decision 10), and locks them against deletion
 * until the transaction ends.
 * @throws DomainError `unknown_data_source` with all references that cannot be resolved
 */
export async function resolveMapping(
  transaction: TenantDb,
  references: readonly MappingReference[],
): Promise<StoredMapping> {
  return resolveEach(references, await findMappedDataSources(transaction, references));
}

/** Resolves all references. @throws DomainError `unknown_data_source` with all references that cannot be resolved */
export function resolveEach(
  references: readonly MappingReference[],
  resolve: (reference: MappingReference) => MappingEntry,
): StoredMapping {
  const errors = new FieldErrors("unknown_data_source");
  const entries = references.flatMap((reference) => errors.collect(() => resolve(reference)) ?? []);
  errors.throwIfAny();
  return toStoredMapping(entries);
}

/**
 * Finds and locks the data sources of these references.
 * @param takesInternalIds whether a reference that is no external ID may be an internal one
 * @returns a function that resolves one reference or throws DomainError `unknown_data_source`
 */
export async function findMappedDataSources(
  transaction: TenantDb,
  references: readonly MappingReference[],
  takesInternalIds = true,
): Promise<(reference: MappingReference) => MappingEntry> {
  const toInternalId = takesInternalIds ? parseInternalId : () => null;
  const names = [...new Set(references.map(({ dataSource }) => dataSource))];
  const internalIds = names.map(toInternalId).filter((id) => id !== null);
  const found = names.length === 0 ? [] : await lockDataSources(transaction, names, internalIds);
  const byProvidedId = new Map(found.map((source) => [source.providedId, source.id]));
  const ids = new Set(found.map(({ id }) => id));
  return ({ schemaId, dataSource, field }) => {
    const internalId = toInternalId(dataSource);
    const dataSourceId =
      byProvidedId.get(dataSource) ?? (internalId !== null && ids.has(internalId) ? internalId : undefined);
    if (dataSourceId === undefined) {
      const message = `The environment has no data source "${dataSource}". Create it with the GraphQL mutation \`createDataSource\`, or use the ID of another one.`;
      throw new DomainError("unknown_data_source", message, { field });
    }
    return { schemaId, dataSourceId };
  };
}
