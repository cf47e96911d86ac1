import { DomainError, domainErrorOr } from "../../domain/shared/errors.js";
import type { StoredMapping } from "../../domain/user-groups/mapping.js";
import type { UserGroup, UserGroupFields, UserGroupVersion } from "../../domain/user-groups/user-group.js";
import { lockDataSources } from "../../persistence/data-sources/queries.js";
import type { TouchedGroup } from "../../persistence/user-groups/bulk-changes.js";
import { listHistories, OLDEST } from "../../persistence/user-groups/history.js";
import { replaceMappings } from "../../persistence/user-groups/mapping-writes.js";
import { updateUserGroups } from "../../persistence/user-groups/writes.js";
import type { BulkUpdated, Write } from "./bulk-transactions.js";
import type { PropertySchemas } from "./property-schemas.js";

/** The values to restore. */
interface Former extends UserGroupFields {
  readonly mapping: StoredMapping;
}

/** Returns the edit that gives groups the values that they had before a bulk change. @param touched the groups that it has changed */
export function prepareUndo(
  changeId: string,
  touched: readonly TouchedGroup[],
  schemas: PropertySchemas,
): Write<BulkUpdated> {
  const touchedById = new Map(touched.map((each) => [each.id, each]));
  const formers = new Map<number, Former>();
  return {
    async check(transaction, groups) {
      const errors = new Map<number, DomainError>();
      if (groups.length === 0) return errors;
      const minVersion = Math.min(...touched.map(({ firstVersion }) => firstVersion)) - 1;
      const ids = groups.map(({ id }) => id);
      const filter = { minVersion, bulkChangeId: changeId };
      const histories = await listHistories(transaction, ids, OLDEST, filter);
      const dataSourceIds = histories.flatMap(({ items }) => [...(items[0]?.mapping?.values() ?? [])]);
      const sources = await lockDataSources(transaction, [], [...new Set(dataSourceIds)]);
      const existing = new Set(sources.map(({ id }) => id));
      const check = await schemas.check(transaction);
      for (const [index, group] of groups.entries()) {
        const former = domainErrorOr(() => {
          const values = formerValues(group, touchedById.get(group.id), histories[index]?.items[0], existing);
          if (!(values instanceof DomainError)) check(["properties"], values.properties, group.properties);
          return values;
        });
        if (former instanceof DomainError) errors.set(group.id, former);
        else formers.set(group.id, former);
      }
      return errors;
    },
    async run(transaction, groups) {
      const changes = groups.flatMap(({ id }) => {
        const former = formers.get(id);
        return former ? [{ id, ...former }] : [];
      });
      const remaps = changes.map(({ id, mapping }) => [id, () => mapping] as const);
      const remapped = await replaceMappings(transaction, new Map(remaps));
      return updateUserGroups(
        transaction,
        changes.map(({ mapping: _, ...change }) => ({ ...change, remapped: remapped.get(change.id) })),
      );
    },
  };
}

/**
 * Returns the values that a locked group had before a bulk change, or why they cannot be restored.
 * @param oldest the oldest values that the bulk change has replaced
 * @param existing IDs of data sources
 */
function formerValues(
  { version }: UserGroup,
  touched: TouchedGroup | undefined,
  oldest: UserGroupVersion | undefined,
  existing: ReadonlySet<number>,
): Former | DomainError {
  if (version !== touched?.lastVersion)
    return new DomainError("version_conflict", "The user group was changed since, or in between.");
  const { name, properties, mapping = null } = oldest ?? {};
  if (oldest?.version !== touched.firstVersion - 1 || mapping === null || name === undefined)
    return new DomainError(
      "history_incomplete",
      "The history does not have the values before the bulk change any more.",
    );
  const [lost] = [...mapping].find(([, id]) => !existing.has(id)) ?? [];
  if (lost === undefined) return { name, properties: properties ?? null, mapping };
  const message = `The former data source of the schema "${lost}" was deleted since.`;
  return new DomainError("unknown_data_source", message);
}
