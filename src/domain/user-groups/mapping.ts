import type { DataSource } from "../data-sources/data-source.js";
import { type FieldPath, invalidField } from "../shared/errors.js";
import { FieldErrors } from "../shared/field-parsing.js";
import { isObject, NULLABLE_OBJECT_RULE } from "../shared/json.js";
import { isText, textRule } from "../shared/text-field.js";

/** Maximum number of entries in a mapping (decision 12). */
export const MAX_MAPPING_ENTRIES = 1000;

/** A requested mapping entry: `dataSource` is an external ID or, failing that, an internal ID (decision 10). */
export interface MappingReference {
  readonly schemaId: string;
  readonly dataSource: string;
  /** Path of the data source in the input. */
  readonly field: FieldPath;
}

/** An unvalidated mapping entry. */
interface SentEntry {
  readonly schemaId: unknown;
  readonly dataSource: unknown;
}

/** A schema ID of a group and its data source. */
export interface MappedDataSource {
  readonly schemaId: string;
  readonly dataSource: DataSource;
}

/** A stored mapping entry: a schema ID of a group and its data source's ID. */
export interface MappingEntry {
  readonly schemaId: string;
  readonly dataSourceId: number;
}

/** The internal IDs of the data sources of a group, by schema ID. */
export type StoredMapping = ReadonlyMap<string, number>;

export function toStoredMapping(entries: readonly MappingEntry[]): StoredMapping {
  return new Map(entries.map(({ schemaId, dataSourceId }) => [schemaId, dataSourceId]));
}

/** Validates a mapping sent as an object; null is the empty mapping. @throws DomainError `invalid_field` with every invalid entry */
export function parseMapping(value: unknown, field: FieldPath): readonly MappingReference[] {
  if (value === null) return [];
  if (!isObject(value)) throw invalidField(field, NULLABLE_OBJECT_RULE);
  const entries = Object.entries(value);
  requireEntryLimit(entries.length, field);
  const errors = new FieldErrors("invalid_field");
  const references: MappingReference[] = [];
  for (const [schemaId, dataSource] of entries) {
    const entryField = [...field, schemaId];
    const rule = textRule(schemaId) ?? textRule(dataSource);
    if (rule === undefined && isText(dataSource))
      references.push({ schemaId, dataSource, field: entryField });
    else errors.add(entryField, rule ?? "is invalid");
  }
  errors.throwIfAny();
  return references;
}

/**
 * Validates a mapping sent as a list; null is the empty mapping.
 * @throws DomainError `invalid_field` with every invalid entry, including duplicate schema IDs
 */
export function parseMappingList(
  list: readonly SentEntry[] | null,
  field: FieldPath,
): readonly MappingReference[] {
  if (list === null) return [];
  requireEntryLimit(list.length, field);
  const errors = new FieldErrors("invalid_field");
  const seen = new Set<string>();
  const references = list.flatMap((entry, index): MappingReference[] => {
    const entryField = [...field, String(index)];
    const reference = readMappingEntry(entry, entryField, errors);
    if (!reference) return [];
    if (seen.has(reference.schemaId)) errors.add([...entryField, "schemaId"], "must not be repeated");
    seen.add(reference.schemaId);
    return [reference];
  });
  errors.throwIfAny();
  return references;
}

/** Validates one mapping entry. @param field path of the entry @throws DomainError `invalid_field` */
export function parseMappingEntry(entry: SentEntry, field: FieldPath): MappingReference {
  const errors = new FieldErrors("invalid_field");
  const reference = readMappingEntry(entry, field, errors);
  errors.throwIfAny();
  if (!reference) throw new Error("A mapping entry was neither parsed nor rejected.");
  return reference;
}

/** @returns undefined if the entry is invalid; the reasons are added to `errors` */
function readMappingEntry(
  { schemaId, dataSource }: SentEntry,
  field: FieldPath,
  errors: FieldErrors,
): MappingReference | undefined {
  const sourceField = [...field, "dataSource"];
  if (isText(schemaId) && isText(dataSource)) return { schemaId, dataSource, field: sourceField };
  for (const [path, value] of [
    [[...field, "schemaId"], schemaId],
    [sourceField, dataSource],
  ] as const) {
    const rule = textRule(value);
    if (rule !== undefined) errors.add(path, rule);
  }
  return undefined;
}

/** @throws DomainError `invalid_field` if a mapping would have too many entries */
export function requireEntryLimit(entries: number, field: FieldPath): void {
  if (entries > MAX_MAPPING_ENTRIES) {
    throw invalidField(field, `must have at most ${MAX_MAPPING_ENTRIES} entries`);
  }
}
