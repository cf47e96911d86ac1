import type { ImportedGroup, ImportOptions } from "../../domain/transfer/imported-record.js";
import { catchRefusal, Refusal } from "../../domain/transfer/refusal.js";
import type { MappingEntry } from "../../domain/user-groups/mapping.js";
import type { Properties } from "../../domain/user-groups/properties.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";
import {
  type ExistingGroup,
  findDifferentProperties,
  findExistingGroups,
} from "../../persistence/transfer/imported-group-queries.js";
import { findMappings } from "../../persistence/user-groups/mapping-queries.js";
import { findImportedDataSources } from "./imported-mapping.js";
import type { ImportedTokens } from "./imported-tokens.js";

/** The planned action for a line. */
export type PlannedGroup =
  | {
      readonly action: "create";
      readonly group: ImportedGroup & { readonly name: string };
      readonly entries: readonly MappingEntry[];
    }
  | { readonly action: "update"; readonly id: number; readonly changes: GroupChanges }
  | { readonly action: "nothing" }
  | Refusal;

/** The fields of a line that differ from the stored group. */
export interface GroupChanges {
  readonly name?: string;
  readonly properties?: Properties;
  readonly entries?: readonly MappingEntry[];
  readonly token?: string;
}

/**
 * Compares the lines of an import with the stored groups.
 * @param transaction holds the row locks of the groups, except in a dry run
 * @param tokens owners of the tokens in these lines
 */
export async function planGroups(
  transaction: TenantDb,
  items: readonly ImportedGroup[],
  tokens: ImportedTokens,
  options: ImportOptions,
): Promise<PlannedGroup[]> {
  const references = items.flatMap(({ mapping = [] }) => mapping);
  const resolve = await findImportedDataSources(transaction, references, options);
  const providedIds = items.map(({ providedId }) => providedId);
  const found = await findExistingGroups(transaction, providedIds, !options.dryRun);
  const present = new Map(found.map((group) => [group.providedId, group]));
  const mappings = await findExistingMappings(transaction, items, present);
  const withDifferentProperties = await findPropertyChanges(transaction, items, present);
  return items.map((item) => {
    const entries = catchRefusal(() => item.mapping?.map(resolve));
    if (entries instanceof Refusal) return entries;
    const group = present.get(item.providedId);
    if (!group) return planCreation(item, entries ?? [], tokens);
    const before = {
      group,
      mapping: mappings.get(group.id) ?? new Map(),
      propertiesDiffer: withDifferentProperties.has(group.id),
    };
    return planChange(item, entries, before, { tokens, replaceTokens: options.replaceTokens });
  });
}

function planCreation(
  item: ImportedGroup,
  entries: readonly MappingEntry[],
  tokens: ImportedTokens,
): PlannedGroup {
  const { name } = item;
  if (name === undefined) {
    return new Refusal("invalid_field", "is required to create a user group.", ["name"]);
  }
  return tokens.refusalOf(item) ?? { action: "create", group: { ...item, name }, entries };
}

/** A stored group that a line is compared with. */
interface StoredGroup {
  readonly group: ExistingGroup;
  readonly mapping: ReadonlyMap<string, number>;
  readonly propertiesDiffer: boolean;
}

function planChange(
  item: ImportedGroup,
  entries: readonly MappingEntry[] | undefined,
  { group, mapping, propertiesDiffer }: StoredGroup,
  { tokens, replaceTokens }: { readonly tokens: ImportedTokens; readonly replaceTokens: boolean },
): PlannedGroup {
  const { name, properties, token } = item;
  const hasNewToken = token !== undefined && !tokens.isTokenOf(item, group);
  if (hasNewToken && !replaceTokens) {
    return new Refusal(
      "token_differs",
      "The user group already has a different token. Use --replace-tokens to overwrite it.",
      ["token"],
    );
  }
  const refusal = hasNewToken ? tokens.refusalOf(item) : null;
  if (refusal) return refusal;
  const changes = {
    ...(name !== undefined && name !== group.name ? { name } : {}),
    ...(properties !== undefined && propertiesDiffer ? { properties } : {}),
    ...(entries && !isSame(entries, mapping) ? { entries } : {}),
    ...(hasNewToken ? { token } : {}),
  };
  return Object.keys(changes).length === 0
    ? { action: "nothing" }
    : { action: "update", id: group.id, changes };
}

/** Returns the IDs of the groups whose stored properties differ from those of their lines. */
async function findPropertyChanges(
  db: TenantDb,
  items: readonly ImportedGroup[],
  present: ReadonlyMap<string, ExistingGroup>,
): Promise<ReadonlySet<number>> {
  const others = new Set<number>();
  const undecided: { readonly id: number; readonly properties: string }[] = [];
  for (const { providedId, properties } of items) {
    const group = present.get(providedId);
    if (!group || properties === undefined) continue;
    if (properties === group.properties) continue;
    if (properties === null || group.properties === null) others.add(group.id);
    else undecided.push({ id: group.id, properties });
  }
  return new Set([...others, ...(await findDifferentProperties(db, undecided))]);
}

/** Returns the mappings (data source IDs by schema ID) of existing groups whose lines contain a mapping. */
async function findExistingMappings(
  db: TenantDb,
  items: readonly ImportedGroup[],
  present: ReadonlyMap<string, ExistingGroup>,
): Promise<ReadonlyMap<number, ReadonlyMap<string, number>>> {
  const ids = items.flatMap(({ providedId, mapping }) => {
    const id = present.get(providedId)?.id;
    return id === undefined || mapping === undefined ? [] : [id];
  });
  return ids.length === 0 ? new Map() : findMappedIds(db, ids);
}

/** Returns the data source IDs by schema ID of each group. */
export async function findMappedIds(
  db: TenantDb,
  userGroupIds: readonly number[],
): Promise<ReadonlyMap<number, ReadonlyMap<string, number>>> {
  const mappings = await findMappings(db, userGroupIds);
  return new Map(
    [...mappings].map(([id, mapped]) => [
      id,
      new Map(mapped.map(({ schemaId, dataSource }) => [schemaId, dataSource.id])),
    ]),
  );
}

function isSame(entries: readonly MappingEntry[], mapping: ReadonlyMap<string, number>): boolean {
  return (
    entries.length === mapping.size &&
    entries.every(({ schemaId, dataSourceId }) => mapping.get(schemaId) === dataSourceId)
  );
}
