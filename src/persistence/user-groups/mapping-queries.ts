import type { DataSource } from "../../domain/data-sources/data-source.js";
import { MAX_REPLY_ITEMS, tooManyItems } from "../../domain/shared/pagination.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { DataSourceEntity } from "../data-sources/entity.js";
import { DATA_SOURCES } from "../data-sources/queries.js";
import type { Statement } from "../shared/statement.js";
import { positionsOf, type TextRow } from "../shared/table.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { readTime } from "../shared/value-parsers.js";

// Raw SQL: hot reads of many groups at once.

const SOURCE_PROPERTIES = [
  "id",
  "providedId",
  "name",
  "version",
  "createdAt",
] as const satisfies readonly (keyof DataSource)[];

const BY_GROUPS: Statement = {
  name: "mapping_by_user_groups",
  isLookup: true,
  rows: "text",
  // With the data sources: a second statement might miss one that was deleted in between. LATERAL and OFFSET 0 make PostgreSQL look up each
  // entry and its data source by primary key. A plain join would have to be planned for its values, which takes longer than running it:
  // its generic plan uses another index or reads all data sources.
  access: "read",
  text: `SELECT wanted.user_group_id, schema_id, source.*
    FROM unnest($3::bigint[]) AS wanted (user_group_id)
    CROSS JOIN LATERAL (
      SELECT schema_id, data_source_id FROM mapping_entry
      WHERE account_id = $1 AND environment = $2 AND user_group_id = wanted.user_group_id OFFSET 0
    ) AS entry
    CROSS JOIN LATERAL (
      SELECT ${SOURCE_PROPERTIES.map(DATA_SOURCES.column).join(", ")} FROM data_source
      WHERE account_id = $1 AND environment = $2 AND id = entry.data_source_id OFFSET 0
    ) AS source
    ORDER BY schema_id LIMIT ${MAX_REPLY_ITEMS + 1}`,
};

type MappingRow = readonly [
  userGroupId: string,
  schemaId: string,
  ...TextRow<DataSourceEntity, typeof SOURCE_PROPERTIES>,
];

const AT = positionsOf(["userGroupId", "schemaId", ...SOURCE_PROPERTIES]);

/**
 * Loads the mappings of groups, ordered by schema ID. Groups without a mapping are absent from the result.
 * @throws DomainError `query_too_expensive` if they have more entries than a reply
 */
export async function findMappings(
  db: TenantDb,
  userGroupIds: readonly number[],
): Promise<ReadonlyMap<number, readonly MappedDataSource[]>> {
  const rows = await db.run<MappingRow>(BY_GROUPS, [[...new Set(userGroupIds)]]);
  if (rows.length > MAX_REPLY_ITEMS) throw tooManyItems();
  const sources = new Map<string, DataSource>();
  const mappings = new Map<number, MappedDataSource[]>();
  for (const row of rows) {
    const userGroupId = Number(row[AT.userGroupId]);
    const id = row[AT.id];
    const dataSource = sources.get(id) ?? readDataSource(row);
    sources.set(id, dataSource);
    const mapping = mappings.get(userGroupId);
    const entry = { schemaId: row[AT.schemaId], dataSource };
    if (mapping) mapping.push(entry);
    else mappings.set(userGroupId, [entry]);
  }
  return mappings;
}

function readDataSource(row: MappingRow): DataSource {
  return {
    id: Number(row[AT.id]),
    providedId: row[AT.providedId],
    name: row[AT.name],
    version: Number(row[AT.version]),
    // Parsed on access: most replies do not contain it.
    get createdAt() {
      return readTime(row[AT.createdAt]);
    },
  };
}
