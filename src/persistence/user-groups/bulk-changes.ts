import { Column, Entity, In, Unique } from "typeorm";
import type { Environment } from "../../domain/accounts/environment.js";
import { BULK_CHANGE_ORDER, type BulkChange } from "../../domain/user-groups/bulk-change.js";
import { AuditEntryEntity } from "../audit/entries.js";
import { defineList } from "../shared/select-page.js";
import type { Statement } from "../shared/statement.js";
import {
  AccountKey,
  EnvironmentKey,
  SequenceKey,
  TENANT_COLUMNS,
  TimeOfWriting,
  tableOf,
} from "../shared/table.js";
import type { TenantDb } from "../shared/tenant-db.js";

@Entity("bulk_change")
@Unique("bulk_change_change_id_uq", ["accountId", "environment", "changeId"])
export class BulkChangeEntity implements BulkChange {
  @AccountKey("bulk_change_pk")
  accountId!: number;

  @EnvironmentKey("bulk_change_pk")
  environment!: Environment;

  @SequenceKey("bulk_change_pk")
  id!: number;

  @Column("uuid")
  changeId!: string;

  @Column("uuid", { nullable: true })
  undoOf!: string | null;

  @Column("text", { array: true })
  changed!: string[];

  @Column("text")
  authorName!: string;

  /** Keyed hash of the author, the filter and the patch. */
  @Column("bytea")
  fingerprint!: Buffer;

  @Column("integer", { default: 0 })
  changedCount!: number;

  @TimeOfWriting()
  createdAt!: Date;

  @TimeOfWriting()
  updatedAt!: Date;
}

export const BULK_CHANGE_LIST = defineList({
  table: tableOf(BulkChangeEntity, [...TENANT_COLUMNS, "fingerprint"]),
  order: BULK_CHANGE_ORDER,
  toItem: (row): BulkChange => row,
  conditions: () => [],
});

/** Finds a bulk change by the ID that its author chose. */
export async function findBulkChange(db: TenantDb, changeId: string): Promise<BulkChange | null> {
  return db.manager("read", "bulk_change").findOneBy(BulkChangeEntity, { ...db.key, changeId });
}

/** Creates a bulk change, unless it exists, and locks it until the transaction ends. @returns it with the fields of its first call */
export async function claimBulkChange(
  transaction: TenantDb,
  fields: Pick<BulkChangeEntity, "changeId" | "undoOf" | "changed" | "authorName" | "fingerprint">,
): Promise<BulkChangeEntity> {
  const { key } = transaction;
  const manager = transaction.manager("write", "bulk_change_claim");
  const insert = manager.createQueryBuilder().insert().into(BulkChangeEntity);
  await insert
    .values({ ...key, ...fields })
    .orIgnore()
    .execute();
  const where = { ...key, changeId: fields.changeId };
  return manager.findOneOrFail(BulkChangeEntity, { where, lock: { mode: "pessimistic_write" } });
}

// Raw SQL: TypeORM has no settings, and the groups of a bulk change are grouped rows with the sizes of others.

/** Sets the bulk change that the following changes of the transaction belong to. @param changeId a UUID; null for none */
export async function setBulkChange({ raw }: TenantDb, changeId: string | null): Promise<void> {
  const text = `SET LOCAL app.bulk_change = '${changeId ?? ""}'`;
  await raw.run({ label: "bulk_change_set", access: "write", text }, []);
}

/** Adds groups that a call has changed to the number of those that its locked bulk change has changed, each of them once. */
export async function addChangedGroups(
  transaction: TenantDb,
  changeId: string,
  ids: readonly number[],
): Promise<void> {
  const { key } = transaction;
  const manager = transaction.manager("write", "bulk_change_count");
  const entries = await manager.findBy(AuditEntryEntity, {
    ...key,
    bulkChangeId: changeId,
    subjectId: In([...ids]),
  });
  const first = new Set<number>();
  const again = new Set<number>();
  for (const { subjectId } of entries) (first.has(subjectId) ? again : first).add(subjectId);
  const changedCount = () => `changed_count + ${first.size - again.size}`;
  await manager.update(
    BulkChangeEntity,
    { ...key, changeId },
    { changedCount, updatedAt: () => "statement_timestamp()" },
  );
}

/** A group that a bulk change has changed. */
export interface TouchedGroup {
  readonly id: number;
  /** The version that the first change created. */
  readonly firstVersion: number;
  /** The version after the last change, if no other change has come between them. */
  readonly lastVersion: number;
  /** Bytes of the properties of this group and those before it: the current and the former ones. */
  readonly bytes: number;
}

const TOUCHED: Statement = {
  name: "bulk_change_groups",
  access: "read",
  text: `SELECT touched.id, first_version AS "firstVersion",
      first_version - 1 + (changes + (SELECT count(*) FROM audit_entry AS undone WHERE undone.account_id = $1
        AND undone.environment = $2 AND undone.bulk_change_id = $4 AND undone.subject_id = touched.id))::integer AS "lastVersion",
      sum(coalesce(octet_length(user_group.properties::text), 0) + coalesce(octet_length(former.properties::text), 0))
        OVER (ORDER BY touched.id)::integer AS bytes
    FROM (SELECT subject_id AS id, min(version) AS first_version, count(*) AS changes FROM audit_entry
      WHERE account_id = $1 AND environment = $2 AND bulk_change_id = $3 AND subject_id > $5
      GROUP BY subject_id ORDER BY subject_id LIMIT $6) AS touched
    LEFT JOIN user_group ON user_group.account_id = $1 AND user_group.environment = $2 AND user_group.id = touched.id
    LEFT JOIN user_group_history AS former ON former.account_id = $1 AND former.environment = $2
      AND former.user_group_id = touched.id AND former.version = first_version - 1
    ORDER BY touched.id`,
};

/**
 * Finds the next groups that a bulk change has changed, by ID, also those that were deleted since.
 * @param undoId the bulk change that undoes it: its changes count as well
 * @param after ID of a group
 */
export async function findTouchedGroups(
  transaction: TenantDb,
  { changeId, undoId }: { readonly changeId: string; readonly undoId: string },
  after: number,
  limit: number,
): Promise<TouchedGroup[]> {
  return transaction.run<TouchedGroup>(TOUCHED, [changeId, undoId, after, limit]);
}
