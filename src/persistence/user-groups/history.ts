import { Column, Entity, ForeignKey, Index, PrimaryColumn } from "typeorm";
import type { Environment } from "../../domain/accounts/environment.js";
import type { Page, PageRequest } from "../../domain/shared/pagination.js";
import type { Properties } from "../../domain/user-groups/properties.js";
import type { UserGroupFields, UserGroupVersion } from "../../domain/user-groups/user-group.js";
import { countOfEach, findPages, groupPages, tenantList } from "../shared/select-page.js";
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
}

// Raw SQL: lateral pages.

const HISTORY = tableOf(UserGroupHistoryEntity, [...TENANT_COLUMNS, "mapping", "mappingVersion"]);

const SAME_GROUP = `account_id = $1 AND environment = $2 AND user_group_id = user_group_history.user_group_id`;

const ONE = { size: 1, from: "start", after: null, before: null } as const;

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

/** Lists, with one statement, the same page of each group's former values, newest first; only those of a version if it is set. */
export async function listHistories(
  db: TenantDb,
  userGroupIds: readonly number[],
  page: PageRequest,
  version?: number,
): Promise<Page<UserGroupVersion>[]> {
  const of = { column: "user_group_id", ids: userGroupIds, page };
  const list = tenantList((values) => [version !== undefined && `version = ${values.add(version)}`]);
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

/** Finds the values that a group had at a version. */
export async function findVersion(db: TenantDb, id: number, version: number) {
  const [page] = await listHistories(db, [id], ONE, version);
  return page?.items[0];
}
