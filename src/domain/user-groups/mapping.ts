import type { DataSource } from "../data-sources/data-source.js";
import { type FieldPath, invalidField } from "../shared/errors.js";
import { FieldErrors } from "../shared/field-parsing.js";
import { isObject, NULLABLE_OBJECT_RULE } from "../shared/json.js";
import { isText, textRule } from "../shared/text-field.js";

/** Decision 12. */
export const MAX_MAPPING_ENTRIES = 1000;

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

/** Checks a mapping given as an object; null is the empty mapping. @throws DomainError `invalid_field` naming every invalid entry */
export function parseMapping(value: unknown, field: FieldPath): readonly MappingReference[] {
  if (value === null) return [];
  if (!isObject(value)) throw invalidField(field, NULLABLE_OBJECT_RULE);
  const entries = Object.entries(value);
  requireRoom(entries.length, field);
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
 * Checks a mapping given as a list; null is the empty mapping.
 * @throws DomainError `invalid_field` naming every invalid entry, also a schema id that stands twice
 */
export function parseMappingList(
  list: readonly SentEntry[] | null,
  field: FieldPath,
): readonly MappingReference[] {
  if (list === null) return [];
  requireRoom(list.length, field);
  const errors = new FieldErrors("invalid_field");
  const seen = new Set<string>();
  const references = list.flatMap((entry, index): MappingReference[] => {
    const entryField = [...field, String(index)];
    const reference = readMappingEntry(entry, entryField, errors);
    if (!reference) return [];
    if (seen.has(reference.schemaId)) errors.add([...entryField, "schemaId"], "must stand only once");
    seen.add(reference.schemaId);
    return [reference];
  });
  errors.throwIfAny();
  return references;
}

/** Checks one entry of a mapping; `field` is the path of the object that holds it. @throws DomainError `invalid_field` */
export function parseMappingEntry(entry: SentEntry, field: FieldPath): MappingReference {
  const errors = new FieldErrors("invalid_field");
  const reference = readMappingEntry(entry, field, errors);
  errors.throwIfAny();
  if (!reference) throw new Error("A mapping entry was neither parsed nor refused.");
  return reference;
}

/** @returns undefined when the entry is invalid: `errors` has the reasons then */
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

/** @throws DomainError `invalid_field` when a mapping would have more entries than allowed */
export function requireRoom(entries: number, field: FieldPath): void {
  if (entries > MAX_MAPPING_ENTRIES) {
    throw invalidField(field, `must have at most ${MAX_MAPPING_ENTRIES} entries`);
  }
}
