import type { DataSource } from "./data-source.js";
import { type FieldPath, invalidField } from "./errors.js";
import { isObject } from "./json.js";
import { parseText } from "./text-field.js";

/** Decision 12. */
export const MAX_MAPPING_ENTRIES = 1000;

export const MAPPING_SIZE_RULE = `must have at most ${MAX_MAPPING_ENTRIES} entries`;

/** What a caller asks for: `dataSource` is a caller-supplied id or, failing that, an internal id (decision 10). */
export interface MappingReference {
  readonly schemaId: string;
  readonly dataSource: string;
  /** Where the caller named the data source. */
  readonly field: FieldPath;
}

/** One entry of a mapping as it was sent. */
interface SentEntry {
  readonly schemaId: unknown;
  readonly dataSource: unknown;
}

/** One schema id of a group with the data source it leads to. */
export interface MappedDataSource {
  readonly schemaId: string;
  readonly dataSource: DataSource;
}

/** What is stored: one schema id of a group and the data source it leads to. */
export interface MappingEntry {
  readonly schemaId: string;
  readonly dataSourceId: number;
}

/** The references of a valid mapping from schema ids to data sources; null is the empty mapping. */
export function readMapping(
  mapping: Readonly<Record<string, string>> | null,
  field: FieldPath,
): readonly MappingReference[] {
  return Object.entries(mapping ?? {}).map(([schemaId, dataSource]) => ({
    schemaId,
    dataSource,
    field: [...field, schemaId],
  }));
}

/** Checks a mapping given as an object; null is the empty mapping. @throws DomainError `invalid_field` */
export function parseMapping(value: unknown, field: FieldPath): readonly MappingReference[] {
  if (value === null) return [];
  if (!isObject(value)) throw invalidField(field, "must be a JSON object or null");
  const entries = Object.entries(value);
  requireRoom(entries.length, field);
  return entries.map(([schemaId, dataSource]) => {
    const entryField = [...field, schemaId];
    return {
      schemaId: parseText(schemaId, entryField),
      dataSource: parseText(dataSource, entryField),
      field: entryField,
    };
  });
}

/**
 * Checks a mapping given as a list; null is the empty mapping.
 * @throws DomainError `invalid_field`, also for a schema id that stands twice
 */
export function parseMappingList(
  list: readonly SentEntry[] | null,
  field: FieldPath,
): readonly MappingReference[] {
  if (list === null) return [];
  requireRoom(list.length, field);
  const seen = new Set<string>();
  return list.map((entry, index) => {
    const reference = parseMappingEntry(entry, [...field, String(index)]);
    if (seen.has(reference.schemaId)) {
      throw invalidField([...field, String(index), "schemaId"], "must stand only once");
    }
    seen.add(reference.schemaId);
    return reference;
  });
}

/** Checks one entry of a mapping; `field` is the path of the object that holds it. @throws DomainError `invalid_field` */
export function parseMappingEntry(entry: SentEntry, field: FieldPath): MappingReference {
  const sourceField = [...field, "dataSource"];
  return {
    schemaId: parseText(entry.schemaId, [...field, "schemaId"]),
    dataSource: parseText(entry.dataSource, sourceField),
    field: sourceField,
  };
}

/** @throws DomainError `invalid_field` when a mapping would have more entries than allowed */
export function requireRoom(entries: number, field: FieldPath): void {
  if (entries > MAX_MAPPING_ENTRIES) throw invalidField(field, MAPPING_SIZE_RULE);
}
