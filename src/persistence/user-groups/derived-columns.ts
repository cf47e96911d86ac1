// Columns of `user_group` that are derived from others. Each is valid for a version only: a process of a release without them changes
// groups, too, and conditions then use what the column is derived from.

/** Letters with a stroke or without a dot, which Unicode does not decompose, and the letters that they are found by. */
const STROKES = ["łŁøØđĐħĦŧŦı", "lLoOdDhHtTi"];

/** Returns SQL for a text without accents. Most texts are ASCII, for which the rest would take three times as long. */
export function withoutAccents(text: string): string {
  const decomposed = `normalize(translate(${text}, '${STROKES.join("', '")}'), NFD)`;
  return `CASE WHEN octet_length(${text}) = length(${text}) THEN ${text}
    ELSE regexp_replace(${decomposed}, '[\\u0300-\\u036f]', '', 'g') END`;
}

/** Returns SQL for a text in lower case. The default collation knows non-ASCII letters; "C" does not. */
export function inLowerCase(text: string): string {
  return `lower((${text}) COLLATE "default")`;
}

/** Returns SQL for the text that words are searched in; neither a word nor a name contains a line break. */
function searchText(name: string, providedId: string): string {
  const joined = `(SELECT ${name} || E'\\n' || ${providedId} AS text OFFSET 0) AS joined`;
  return `(SELECT ${inLowerCase(withoutAccents("text"))} FROM ${joined})`;
}

const IS_SEARCHABLE = "user_group.search_version = user_group.version";

/** Columns of an inserted group, with their values. */
export const INSERTED: readonly (readonly [column: string, value: string])[] = [
  ["search_text", searchText("item.name", "item.provided_id")],
  ["search_version", "1"],
  ["mapped_version", "CASE WHEN item.is_mapped THEN 1 ELSE -1 END"],
];

/** Assignments of a group whose version is incremented, as the name is not changed. */
export const VERSION_INCREMENTED = `search_version = CASE WHEN ${IS_SEARCHABLE} THEN user_group.version + 1 END`;

/**
 * Returns the assignments of an updated group.
 * @param isRenamed SQL
 * @param isRemapped SQL; the entries are already written
 */
export function updatedColumns(name: string, isRenamed: string, isRemapped: string): string {
  return `search_text = CASE WHEN ${IS_SEARCHABLE} AND NOT ${isRenamed} THEN user_group.search_text
            ELSE ${searchText(`CASE WHEN ${isRenamed} THEN ${name} ELSE user_group.name END`, "user_group.provided_id")} END,
          search_version = user_group.version + 1,
          mapped_version = CASE WHEN NOT ${isRemapped} THEN user_group.mapped_version
            WHEN ${hasEntries()} THEN user_group.mapping_version + 1 ELSE -(user_group.mapping_version + 1) END`;
}

/** Returns a condition that is met if the name or the external ID contains each word, ignoring case and accents. @param words SQL of a list of patterns */
export function containsWords(words: string): string {
  const patterns = (pattern: string) =>
    `ALL (ARRAY(SELECT ${pattern} FROM unnest(${words}::text[]) AS word))`;
  const text = `${withoutAccents("name")} || E'\\n' || ${withoutAccents("provided_id")}`;
  return `CASE WHEN ${IS_SEARCHABLE} THEN search_text LIKE ${patterns(inLowerCase(withoutAccents("word")))}
    ELSE (${text}) COLLATE "default" ILIKE ${patterns(withoutAccents("word"))} END`;
}

/** Groups without a mapping, and those of which it is not known; the condition of an index. The planner expects few. */
export const MAYBE_UNMAPPED = "CASE WHEN mapped_version = mapping_version THEN 1 ELSE 0 END = 0";

/** Returns conditions that are met if the mapping has entries, or has none. */
export function hasMappingIs(isMapped: boolean): readonly string[] {
  if (isMapped)
    return [
      "mapped_version IS DISTINCT FROM -mapping_version",
      `(mapped_version = mapping_version OR ${hasEntries()})`,
    ];
  return [MAYBE_UNMAPPED, `(mapped_version = -mapping_version OR NOT ${hasEntries()})`];
}

/** Returns a condition that is met if the mapping has entries. @param conditions further ones on the entry */
export function hasEntries(conditions: readonly string[] = []): string {
  const all = [
    "entry.account_id = user_group.account_id",
    "entry.environment = user_group.environment",
    "entry.user_group_id = user_group.id",
    ...conditions,
  ];
  return `EXISTS (SELECT FROM mapping_entry AS entry WHERE ${all.join(" AND ")})`;
}
