import { DomainError } from "../../domain/shared/errors.js";
import { FieldErrors } from "../../domain/shared/field-parsing.js";
import { parseInternalId } from "../../domain/shared/internal-id.js";
import type { MappingEntry, MappingReference } from "../../domain/user-groups/mapping.js";
import { lockDataSources } from "../../persistence/data-sources/queries.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";

/**
 * Finds the data sources that a mapping names: by caller-supplied id first, then by internal id (decision 10). They stay
 * locked against deletion until the transaction ends.
 * @throws DomainError `unknown_data_source` naming every schema id whose data source the environment does not have
 */
export async function resolveMapping(
  transaction: TenantDb,
  references: readonly MappingReference[],
): Promise<readonly MappingEntry[]> {
  return resolveEach(references, await findMappedDataSources(transaction, references));
}

/** Resolves all references. @throws DomainError `unknown_data_source` naming all that cannot be resolved */
export function resolveEach(
  references: readonly MappingReference[],
  resolve: (reference: MappingReference) => MappingEntry,
): readonly MappingEntry[] {
  const errors = new FieldErrors("unknown_data_source");
  const entries = references.flatMap((reference) => errors.collect(() => resolve(reference)) ?? []);
  errors.throwIfAny();
  return entries;
}

/**
 * Finds and locks the data sources that any of these references name.
 * @returns what resolves one of the references, and throws DomainError `unknown_data_source` where there is no such data source
 */
export async function findMappedDataSources(
  transaction: TenantDb,
  references: readonly MappingReference[],
): Promise<(reference: MappingReference) => MappingEntry> {
  const names = [...new Set(references.map(({ dataSource }) => dataSource))];
  const internalIds = names.map(parseInternalId).filter((id) => id !== null);
  const found = names.length === 0 ? [] : await lockDataSources(transaction, names, internalIds);
  const byProvidedId = new Map(found.map((source) => [source.providedId, source.id]));
  const ids = new Set(found.map(({ id }) => id));
  return ({ schemaId, dataSource, field }) => {
    const internalId = parseInternalId(dataSource);
    const dataSourceId =
      byProvidedId.get(dataSource) ?? (internalId !== null && ids.has(internalId) ? internalId : undefined);
    if (dataSourceId === undefined) {
      throw new DomainError("unknown_data_source", `The environment has no data source "${dataSource}".`, {
        field,
      });
    }
    return { schemaId, dataSourceId };
  };
}
