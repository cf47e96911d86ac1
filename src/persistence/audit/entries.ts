import { Column, Entity, ForeignKey, Index } from "typeorm";
import type { Environment } from "../../domain/accounts/environment.js";
import {
  AUDIT_ACTIONS,
  AUDIT_ENTRY_ORDER,
  type AuditAction,
  type AuditEntry,
  type AuditFilter,
  type DayCount,
  subjectType,
} from "../../domain/audit/entry.js";
import type { Page, PageRequest } from "../../domain/shared/pagination.js";
import { AccountEntity } from "../accounts/entities.js";
import { inRange, keysetsOf, type StatementValues } from "../shared/keyset.js";
import { countOfEach, defineList, findPages, groupPages, tenantList } from "../shared/select-page.js";
import type { Statement } from "../shared/statement.js";
import {
  AccountKey,
  EnvironmentKey,
  type RowOf,
  SequenceKey,
  TENANT_COLUMNS,
  TimeOfWriting,
  tableOf,
} from "../shared/table.js";
import type { TenantDb } from "../shared/tenant-db.js";

@Entity("audit_entry")
@Index("audit_entry_created_at_ix", ["accountId", "environment", "createdAt", "id"])
@Index("audit_entry_action_ix", ["accountId", "environment", "action", "createdAt", "id"])
@Index("audit_entry_actor_ix", ["accountId", "environment", "actorName", "createdAt", "id"])
@Index(
  "audit_entry_bulk_subject_ix",
  ["accountId", "environment", "bulkChangeId", "subjectId", "createdAt", "id"],
  { where: "(bulk_change_id IS NOT NULL)" },
)
@Index("audit_entry_bulk_ix", ["accountId", "environment", "bulkChangeId", "createdAt", "id"], {
  where: "(bulk_change_id IS NOT NULL)",
})
@Index("audit_entry_erasable_ix", ["accountId", "environment", "createdAt"], {
  where: "((action = 'user_group.deleted'::text) AND (subject_name !~ '^erased:[0-9a-f]{32}$'::text))",
})
@Index("audit_entry_request_ix", ["accountId", "environment", "requestId", "createdAt", "id"], {
  where: "(request_id IS NOT NULL)",
})
@Index("audit_entry_subject_ix", ["accountId", "environment", "subjectId", "createdAt", "id"])
@Index("audit_entry_subject_name_ix", ["accountId", "environment", "subjectName", "createdAt", "id"])
@ForeignKey(() => AccountEntity, ["accountId"], ["id"], { name: "audit_entry_account_fk" })
export class AuditEntryEntity {
  @AccountKey("audit_entry_pk")
  accountId!: number;

  @EnvironmentKey("audit_entry_pk")
  environment!: Environment;

  @SequenceKey("audit_entry_pk")
  id!: number;

  @Column("text")
  action!: AuditAction;

  @Column("bigint")
  subjectId!: number;

  @Column("text")
  subjectName!: string;

  @Column("integer", { nullable: true })
  version!: number | null;

  @Column("text", { array: true })
  changed!: string[];

  @Column("bigint", { nullable: true })
  actorKeyId!: number | null;

  @Column("text")
  actorName!: string;

  @Column("text", { nullable: true })
  requestId!: string | null;

  @TimeOfWriting("clock_timestamp()")
  createdAt!: Date;

  @Column("text", { nullable: true })
  sessionId!: string | null;

  @Column("uuid", { nullable: true })
  bulkChangeId!: string | null;
}

// Raw SQL: the plans of keyset pages depend on how the conditions are written, and counts of embed sessions need no entity.

const ENTRIES = tableOf(AuditEntryEntity, TENANT_COLUMNS);

/** The audit log. */
export const AUDIT_LOG = defineList({
  table: ENTRIES,
  order: AUDIT_ENTRY_ORDER,
  toItem: toAuditEntry,
  conditions,
});

const keysetOf = keysetsOf(ENTRIES, AUDIT_ENTRY_ORDER);

const GROUP_ACTIONS = AUDIT_ACTIONS.filter((action) => subjectType(action) === "UserGroup");

/** Reads the same page of each user group's entries with one statement. */
export async function listEntriesOfGroups(
  db: TenantDb,
  groupIds: readonly number[],
  filter: AuditFilter,
  page: PageRequest,
): Promise<Page<AuditEntry>[]> {
  const selection = { ...ENTRIES, keyset: keysetOf(AUDIT_ENTRY_ORDER.default) };
  const of = { column: "subject_id", ids: groupIds, page };
  const rows = await findPages<RowOf<typeof ENTRIES>>(db, selection, of, groupEntries(filter));
  return groupPages(
    groupIds,
    rows.map((row) => [row.subjectId, toAuditEntry(row)]),
    page,
  );
}

/** Counts each user group's entries. */
export async function countEntriesOfGroups(
  db: TenantDb,
  groupIds: readonly number[],
  filter: AuditFilter,
): Promise<number[]> {
  return countOfEach(db, ENTRIES.name, { column: "subject_id", ids: groupIds }, groupEntries(filter));
}

function groupEntries(filter: AuditFilter) {
  return tenantList((values) => [`action ${isOneOf(GROUP_ACTIONS, values)}`, ...conditions(filter, values)]);
}

function conditions(filter: AuditFilter, values: StatementValues) {
  const { actions, excludeActions, subject, subjectName, actorName, requestId, bulkChangeId, createdAt } =
    filter;
  return [
    actions && `action ${isOneOf(actions, values)}`,
    excludeActions && `action <> ALL (${values.add(excludeActions)}::text[])`,
    subject && `subject_id = ${values.add(subject.id)} AND action ${isOneOf(subject.actions, values)}`,
    subjectName !== undefined && `subject_name = ${values.add(subjectName)}`,
    actorName !== undefined && `actor_name = ${values.add(actorName)}`,
    requestId !== undefined && `request_id = ${values.add(requestId)}`,
    bulkChangeId !== undefined && `bulk_change_id = ${values.add(bulkChangeId)}`,
    ...inRange("created_at", createdAt, values),
  ];
}

function toAuditEntry({
  actorKeyId: keyId,
  actorName: name,
  requestId,
  ...entry
}: RowOf<typeof ENTRIES>): AuditEntry {
  return { ...entry, actor: { keyId, name, requestId } };
}

const SESSION_DAYS_OF_GROUPS: Statement = {
  name: "embed_session_days_of_groups",
  access: "read",
  isSearch: true,
  text: `SELECT user_group_id AS id, to_char(day, 'YYYY-MM-DD') AS date, sum(count)::integer AS count
    FROM embed_session_count WHERE account_id = $1 AND environment = $2 AND user_group_id = ANY ($4::bigint[])
      AND day >= ($3::timestamptz AT TIME ZONE 'UTC')::date GROUP BY user_group_id, day`,
};

/** Counts the embed sessions of each user group on each day since the start of a day. Days without any are missing. */
export async function countSessionDays(
  db: TenantDb,
  since: Date,
  groupIds: readonly number[],
): Promise<DayCount[]> {
  return db.run(SESSION_DAYS_OF_GROUPS, [since, groupIds]);
}

/** Compares a single action by equality, so that its index returns the entries in order. */
function isOneOf(actions: readonly AuditAction[], values: StatementValues): string {
  const [action, ...others] = actions;
  return others.length === 0 ? `= ${values.add(action ?? null)}` : `= ANY (${values.add(actions)}::text[])`;
}
