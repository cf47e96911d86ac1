import type { DataSourceRef } from "../../domain/data-sources/data-source.js";
import type { UserGroupFilter } from "../../domain/user-groups/list.js";
import { escapeLike, inRange, StatementValues, startsWith } from "../shared/keyset.js";
import { type ListQuery, MAX_FEW, TENANT } from "../shared/select-page.js";
import { containsWords, hasEntries, hasMappingIs, MAYBE_UNMAPPED } from "./derived-columns.js";
import { spellingsOf } from "./name-prefix.js";

const MAPPING_FIELDS = ["dataSource", "schemaId"];

/** Conditions that indexes serve. */
interface Indexed {
  /** SQL expression of a data source's ID. */
  readonly source: string | undefined;
  /** Conditions by column. */
  readonly ranges: readonly (readonly [column: string, conditions: readonly string[]])[];
}

/**
 * Returns the list of groups that match a filter.
 * @param column the sort column; undefined to count
 */
export function filteredList(filter: UserGroupFilter, column?: string): ListQuery {
  const { providedIds, search, nameContains, nameStartsWith, providedIdStartsWith, properties, hasMapping } =
    filter;
  const values = new StatementValues();
  const source = filter.dataSource && dataSourceId(filter.dataSource, values);
  const idRange =
    providedIdStartsWith !== undefined && startsWith("provided_id", providedIdStartsWith, values);
  const ranges = [
    ["provided_id", present([idRange])],
    ["created_at", present(inRange("created_at", filter.createdAt, values))],
    ["updated_at", present(inRange("updated_at", filter.updatedAt, values))],
  ] as const;
  // The default collation is case-insensitive for non-ASCII letters; "C" is not.
  const name = `name COLLATE "default" ILIKE`;
  const others = present([
    providedIds && `provided_id = ANY (${values.add(providedIds)}::text[])`,
    search !== undefined && searchCondition(search, values),
    nameContains !== undefined && `${name} ${values.add(`%${escapeLike(nameContains)}%`)}`,
    nameStartsWith !== undefined && `${name} ${values.add(`${escapeLike(nameStartsWith)}%`)}`,
    properties && `properties::jsonb @> ${values.add(properties)}::jsonb`,
    (source !== undefined || filter.schemaId !== undefined) &&
      mappedCondition(source, filter.schemaId, values),
    ...(hasMapping === undefined ? [] : hasMappingIs(hasMapping)),
  ]);
  const conditions = [...TENANT, ...ranges.flatMap(([, range]) => range), ...others];
  const access = column === undefined ? {} : accessTo(filter, column, { source, ranges }, values);
  return { conditions, values, ...access };
}

/** Chooses how to read a page. Estimates of these filters can be wrong by orders of magnitude (decision 29). */
function accessTo(
  filter: UserGroupFilter,
  column: string,
  { source, ranges }: Indexed,
  values: StatementValues,
): Pick<ListQuery, "source" | "search"> {
  const fields = Object.entries(filter).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  // Without a filter, an index has the order; a list of IDs is short, and its length is known to the planner.
  if (fields.length === 0 || filter.providedIds) return {};
  const isMapped = fields.every((field) => MAPPING_FIELDS.includes(field));
  // The index of data sources has this order.
  if (source !== undefined && column === "id" && isMapped) return {};
  if (source !== undefined) return { search: { few: fewMapped(source) } };
  const names = filter.nameStartsWith === undefined ? null : spellingsOf(filter.nameStartsWith, values);
  if (names && column === "name" && fields.length === 1) return { source: names };
  if (names) return { search: { few: names.read(few("name", [names.condition])) } };
  const [ranged, range = []] = ranges.find(([, conditions]) => conditions.length > 0) ?? [];
  if (ranged === column && fields.length === 1) return {};
  if (ranged !== undefined)
    return { search: { few: few(ranged, range), inOrder: ranged === column ? range : [] } };
  if (filter.hasMapping === false) {
    const unmapped = [MAYBE_UNMAPPED];
    return { search: { few: few("id", unmapped), inOrder: column === "id" ? unmapped : [] } };
  }
  return { search: {} };
}

function few(column: string, conditions: readonly string[]): string {
  return `SELECT * FROM user_group WHERE ${[...TENANT, ...conditions].join(" AND ")} ORDER BY ${column} LIMIT ${MAX_FEW + 1}`;
}

function fewMapped(source: string): string {
  return `SELECT found.* FROM (
      SELECT DISTINCT user_group_id FROM mapping_entry WHERE ${TENANT.join(" AND ")} AND data_source_id = ${source}
      ORDER BY user_group_id LIMIT ${MAX_FEW + 1}) AS mapped
    CROSS JOIN LATERAL (SELECT * FROM user_group WHERE ${TENANT.join(" AND ")} AND id = user_group_id) AS found`;
}

function present(conditions: readonly (string | false | undefined)[]): readonly string[] {
  return conditions.flatMap((condition) => (condition ? [condition] : []));
}

/** Returns a condition that is met if the name or the external ID contains each word of a text. */
function searchCondition(search: string, values: StatementValues): string {
  const words = search.split(/\s+/u).map((word) => `%${escapeLike(word)}%`);
  return containsWords(values.add(words));
}

function mappedCondition(
  source: string | undefined,
  schemaId: string | undefined,
  values: StatementValues,
): string {
  return hasEntries([
    ...(schemaId === undefined ? [] : [`entry.schema_id = ${values.add(schemaId)}`]),
    ...(source === undefined ? [] : [`entry.data_source_id = ${source}`]),
  ]);
}

function dataSourceId(ref: DataSourceRef, values: StatementValues): string {
  if (ref.by === "id") return values.add(ref.id);
  return `(SELECT id FROM data_source
    WHERE account_id = $1 AND environment = $2 AND provided_id = ${values.add(ref.providedId)})`;
}
