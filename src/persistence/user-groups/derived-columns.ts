// Columns of `user_group` that are derived from others (decision 29). A process of a release without them changes groups, too: conditions
// check that a column is of the current text or mapping, and otherwise use what it is derived from.

/** Letters with a stroke or without a dot, which Unicode does not decompose, and the letters that they are found by. */
const STROKES = ["łŁøØđĐħĦŧŦı", "lLoOdDhHtTi"];

const isAscii = (text: string) => `octet_length(${text}) = length(${text})`;

/** Returns SQL for a text without accents, in lower case. Most texts are ASCII, for which the rest would take three times as long. */
function folded(text: string): string {
  const decomposed = `normalize(translate(${text}, '${STROKES.join("', '")}'), NFD)`;
  // The default collation knows non-ASCII letters; "C" does not.
  return `lower((CASE WHEN ${isAscii(text)} THEN ${text}
    ELSE regexp_replace(${decomposed}, '[\\u0300-\\u036f]', '', 'g') END) COLLATE "default")`;
}

/** Returns SQL for the text that words are searched in; neither a word nor a name contains a line break. */
const searchedText = (name: string, providedId: string) => `(${name} || E'\\n' || ${providedId})`;
const hash = (text: string) => `hashtext(${text})`;

/** The columns for searches, with their values for a text; ASCII needs no stored text. */
const SEARCH_COLUMNS: readonly (readonly [column: string, value: (text: string) => string])[] = [
  ["search_text", (text) => `CASE WHEN ${isAscii(text)} THEN NULL ELSE ${folded(text)} END`],
  ["search_hash", hash],
];

/** Columns of an inserted group, with their values. */
export const INSERTED: readonly (readonly [column: string, value: string])[] = [
  ...SEARCH_COLUMNS.map(
    ([column, value]) => [column, value(searchedText("item.name", "item.provided_id"))] as const,
  ),
  ["mapped_version", "CASE WHEN item.is_mapped THEN 1 ELSE -1 END"],
];

/** Assignments of an updated group. Citus refuses subqueries in them. */
export const UPDATED = [
  ...SEARCH_COLUMNS.map(
    ([column, value]) =>
      `${column} = CASE WHEN name_differs THEN ${value(searchedText("new_name", "user_group.provided_id"))} ELSE user_group.${column} END`,
  ),
  `mapped_version = CASE WHEN NOT mapping_differs THEN user_group.mapped_version
            WHEN is_mapped THEN user_group.mapping_version + 1 ELSE -(user_group.mapping_version + 1) END`,
].join(",\n          ");

/** Returns a condition that is met if the name or the external ID contains each word, ignoring case and accents. @param words SQL of a list of patterns */
export function containsWords(words: string): string {
  const text = searchedText("name", "provided_id");
  return `coalesce(CASE WHEN search_hash = ${hash(text)} THEN search_text END, ${folded(text)})
    LIKE ALL (ARRAY(SELECT ${folded("word")} FROM unnest(${words}::text[]) AS word))`;
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
    // Not of the group: within OR, Citus would ask all shards.
    "entry.account_id = $1",
    "entry.environment = $2",
    "entry.user_group_id = user_group.id",
    ...conditions,
  ];
  return `EXISTS (SELECT FROM mapping_entry AS entry WHERE ${all.join(" AND ")})`;
}
