import { LAST_TEXT, type StatementValues } from "../shared/keyset.js";
import type { RowSource } from "../shared/select-page.js";

/** Bounds the lookups for one prefix; ILIKE compares the rest. */
const MAX_LETTERS = 50;

/** Other letters that PostgreSQL, with some locale, compares as equal to a lower-case letter. */
const OTHER_CASES: Readonly<Record<string, string>> = {
  ...{ i: "İ", k: "\u212a", å: "\u212b", ω: "\u2126", θ: "ϴ", ǆ: "ǅ", ǉ: "ǈ", ǌ: "ǋ", ǳ: "ǲ" },
};

/**
 * Returns SQL that reads groups whose names start with a text in any case by the index on names: it looks up which spellings of the prefix
 * exist, letter by letter. An index on lower(name) could not serve the condition, since row-level security lets an index serve leakproof
 * functions only.
 * @returns null when the text begins with a letter whose cases differ in length
 */
export function spellingsOf(text: string, values: StatementValues): RowSource | null {
  const letters: (readonly string[])[] = [];
  for (const letter of [...text].slice(0, MAX_LETTERS)) {
    const cases = casesOf(letter);
    if (!cases) break;
    letters.push(cases);
  }
  if (letters.length === 0) return null;
  const last = `${values.add(LAST_TEXT)}::text`;
  const texts = values.add(letters.flat());
  const places = values.add(letters.flatMap((cases, place) => cases.map(() => place)));
  const startsWith = (prefix: string) => `name BETWEEN ${prefix} AND ${prefix} || ${last}`;
  return {
    condition: startsWith("spelling.prefix"),
    read: (rows) => `WITH RECURSIVE spelling (prefix, length) AS (
        SELECT '' COLLATE "C", 0
        UNION ALL SELECT prefix || letter, length + 1
        FROM spelling JOIN unnest(${texts}::text[], ${places}::integer[]) AS cases (letter, place) ON place = length
        WHERE (SELECT true FROM user_group WHERE account_id = $1 AND environment = $2
          AND ${startsWith("(prefix || letter)")} ORDER BY name LIMIT 1))
      SELECT found.* FROM spelling CROSS JOIN LATERAL (${rows}) AS found WHERE length = ${letters.length}`,
  };
}

/** Returns the spellings of a letter in any case, or more; null if one of them has another length. */
function casesOf(letter: string): readonly string[] | null {
  const lower = letter.toLowerCase();
  const upper = lower.toUpperCase();
  // In some locales, İ in lower case is an i with this dot.
  if ([...lower].length > 1 || [...upper].length > 1 || letter === "\u0307") return null;
  return [...new Set([letter, lower, upper, OTHER_CASES[lower] ?? letter])];
}
