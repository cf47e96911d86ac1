import { Column, Entity, ForeignKey, Index, PrimaryColumn } from "typeorm";
import type { Environment } from "../../domain/accounts/environment.js";
import type { Page, PageRequest } from "../../domain/shared/pagination.js";
import type { Properties } from "../../domain/user-groups/properties.js";
import type { UserGroup, UserGroupFields, UserGroupVersion } from "../../domain/user-groups/user-group.js";
import { type Candidates, tenantRows } from "../shared/purge-queries.js";
import { countOfEach, findPages, groupPages, tenantList } from "../shared/select-page.js";
import type { Statement } from "../shared/statement.js";
import {
  AccountKey,
  EnvironmentKey,
  type RowOf,
  TENANT_COLUMNS,
  TimeOfWriting,
  tableOf,
} from "../shared/table.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { UserGroupEntity } from "./entity.js";

/** The values of a group until a change, written by the statement of the change (`updateStatement`). */
@Entity("user_group_history")
@Index("user_group_history_replaced_at_ix", ["accountId", "environment", "replacedAt"])
@Index("user_group_history_version_ix", ["accountId", "environment", "version", "userGroupId"], {
  where: "version >= 100",
})
@ForeignKey(
  () => UserGroupEntity,
  ["accountId", "environment", "userGroupId"],
  ["accountId", "environment", "id"],
  { name: "user_group_history_user_group_fk", onDelete: "CASCADE" },
)
export class UserGroupHistoryEntity implements UserGroupFields {
  @AccountKey("user_group_history_pk")
  accountId!: number;

  @EnvironmentKey("user_group_history_pk")
  environment!: Environment;

  @PrimaryColumn("bigint", { primaryKeyConstraintName: "user_group_history_pk" })
  userGroupId!: number;

  @PrimaryColumn("integer", { primaryKeyConstraintName: "user_group_history_pk" })
  version!: number;

  @Column({ type: "character varying", length: 255, collation: "C" })
  name!: string;

  @Column("json", { nullable: true })
  properties!: Properties;

  @Column("integer")
  mappingVersion!: number;

  /** Pairs of schema IDs and internal IDs of data sources; null if the change did not concern the mapping. */
  @Column("json", { nullable: true })
  mapping!: string | null;

  @TimeOfWriting()
  replacedAt!: Date;

  @Column("text")
  replacedBy!: string;

  @Column("uuid", { nullable: true })
  bulkChangeId!: string | null;
}

// Raw SQL: lateral pages, and a count with a subquery.

const HISTORY = tableOf(UserGroupHistoryEntity, [...TENANT_COLUMNS, "mapping", "mappingVersion"]);

const SAME_GROUP = `account_id = $1 AND environment = $2 AND user_group_id = user_group_history.user_group_id`;

/** The oldest row: pages begin with the newest. */
export const OLDEST = { size: 1, from: "end", after: null, before: null } as const;

/** Counts the versions after $4, up to $5, that rotations of the token created: they have the values of the version before. */
const ROTATIONS: Statement = {
  name: "user_group_rotations_count",
  access: "read",
  text: `SELECT count(DISTINCT version)::integer AS count FROM audit_entry
    WHERE account_id = $1 AND environment = $2 AND subject_id = $3
      AND action = 'user_group.token_rotated' AND version > $4 AND version <= $5
      AND created_at >= coalesce((SELECT max(replaced_at) FROM user_group_history
        WHERE account_id = $1 AND environment = $2 AND user_group_id = $3 AND version < $4), '-infinity')`,
};

/** The mapping of a row: its own, that of the group, or that of the next change of the mapping. */
const MAPPING = `coalesce(user_group_history.mapping,
  (SELECT (SELECT coalesce(json_agg(json_build_array(schema_id, data_source_id) ORDER BY schema_id), '[]')
      FROM mapping_entry WHERE ${SAME_GROUP}) FROM user_group AS current
    WHERE account_id = $1 AND environment = $2 AND id = user_group_history.user_group_id
      AND current.mapping_version = user_group_history.mapping_version),
  (SELECT CASE WHEN later.mapping_version = user_group_history.mapping_version THEN later.mapping END
    FROM user_group_history AS later
    WHERE ${SAME_GROUP} AND later.version > user_group_history.version AND later.mapping IS NOT NULL
    ORDER BY later.version LIMIT 1))`;

const COLUMNS = `${HISTORY.columns}, ${MAPPING}::text AS mapping`;

const KEYSET = { column: "version", type: "integer", idColumn: "version", direction: "descending" } as const;

type HistoryRow = RowOf<typeof HISTORY> & Pick<UserGroupHistoryEntity, "mapping">;

/** Conditions on former values. */
interface HistoryFilter {
  readonly minVersion?: number;
  readonly bulkChangeId?: string;
}

/** Lists, with one statement, the same page of each group's former values, newest first. */
export async function listHistories(
  db: TenantDb,
  userGroupIds: readonly number[],
  page: PageRequest,
  { minVersion, bulkChangeId }: HistoryFilter = {},
): Promise<Page<UserGroupVersion>[]> {
  const of = { column: "user_group_id", ids: userGroupIds, page };
  const list = tenantList((values) => [
    minVersion !== undefined && `version >= ${values.add(minVersion)}`,
    bulkChangeId !== undefined && `bulk_change_id = ${values.add(bulkChangeId)}`,
  ]);
  const rows = await findPages<HistoryRow>(db, { ...HISTORY, columns: COLUMNS, keyset: KEYSET }, of, list);
  return groupPages(
    userGroupIds,
    rows.map(({ userGroupId: id, mapping, ...row }) => {
      return [id, { ...row, mapping: mapping === null ? null : new Map(JSON.parse(mapping)) }];
    }),
    page,
  );
}

/** Counts the former values of each group. */
export async function countHistories(db: TenantDb, ids: readonly number[]): Promise<number[]> {
  const list = tenantList(() => []);
  return countOfEach(db, HISTORY.name, { column: "user_group_id", ids }, list);
}

/**
 * Finds the values that a locked group had at a version: those of the first row from it on, or the current ones, if only rotations lie
 * between. Rows that were purged, and changes without a row, leave a gap, which only the audit log shows.
 * @param version at most that of the group
 * @returns "current" for the current values; null if the values are unknown
 */
export async function findVersion(
  db: TenantDb,
  group: Pick<UserGroup, "id" | "version">,
  version: number,
): Promise<UserGroupVersion | "current" | null> {
  const [page] = await listHistories(db, [group.id], OLDEST, { minVersion: version });
  const former = page?.items[0];
  const last = former?.version ?? group.version;
  if (last > version) {
    const [row] = await db.run<{ count: number }>(ROTATIONS, [group.id, version, last]);
    if (row?.count !== last - version) return null;
  }
  return former ?? "current";
}

/**
 * Returns the groups of the tenant in $1 and $2 that may have more than `limit` former values, each with the newest version beyond them.
 * Groups with fewer versions are not read: they have no row in the index.
 * @param limit at least 100
 */
export function excessVersions(limit: number): Candidates {
  const rows = (alias: string) =>
    `FROM user_group_history AS ${alias} WHERE ${tenantRows(alias)} AND ${alias}.`;
  return {
    query: `SELECT user_group_id, (SELECT version ${rows("kept")}user_group_id = often.user_group_id
        ORDER BY version DESC OFFSET ${limit} LIMIT 1) AS version
      FROM (SELECT DISTINCT user_group_id ${rows("counted")}version >= 100 AND version > ${limit}) AS often`,
    columns: "user_group_id bigint, version integer",
    condition:
      "user_group_history.user_group_id = chosen.user_group_id AND user_group_history.version <= chosen.version",
    order: "version",
  };
}
