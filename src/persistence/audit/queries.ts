import type { AuditAction, AuditEntry, AuditFilter } from "../../domain/audit/entry.js";
import type { Page, PageRequest } from "../../domain/shared/page.js";
import type { StatementValues } from "../shared/keyset.js";
import { countList, type ListQuery, selectByIds, selectPage, tenantList } from "../shared/select-page.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { AUDIT_ENTRY_COLUMNS, toAuditEntry } from "./entry-entity.js";

const TABLE = { name: "audit_entry", idType: "bigint" } as const;
// Not by id: entries of a time would then be looked for among all later ones.
const NEWEST_FIRST = {
  column: "created_at",
  type: "timestamptz",
  idColumn: "id",
  idType: "bigint",
  direction: "descending",
} as const;
const ITEM = { columns: AUDIT_ENTRY_COLUMNS, toItem: toAuditEntry };

/** A page of the tenant's audit log, newest first. */
export async function listAuditEntries(
  db: TenantDb,
  filter: AuditFilter,
  page: PageRequest,
): Promise<Page<AuditEntry>> {
  return selectPage(db, listQuery(filter), ITEM, NEWEST_FIRST, page);
}

export async function countAuditEntries(db: TenantDb, filter: AuditFilter): Promise<number> {
  return countList(db, listQuery(filter));
}

/** The tenant's entries that have these ids, in no order. */
export async function findAuditEntriesByIds(db: TenantDb, ids: readonly number[]): Promise<AuditEntry[]> {
  return selectByIds(db, TABLE, ITEM, ids);
}

function listQuery({ actions, subjectName, createdAt }: AuditFilter): ListQuery {
  const list = tenantList(TABLE.name);
  const { values } = list;
  const conditions = [
    ...list.conditions,
    ...(actions ? [`action ${isOneOf(actions, values)}`] : []),
    ...(subjectName === undefined ? [] : [`subject_name = ${values.add(subjectName)}`]),
    ...(createdAt?.from ? [`created_at >= ${values.add(createdAt.from)}`] : []),
    ...(createdAt?.to ? [`created_at < ${values.add(createdAt.to)}`] : []),
  ];
  return { ...list, conditions };
}

/** A single action by equality: its index has the entries in their order. */
function isOneOf(actions: readonly AuditAction[], values: StatementValues): string {
  const [action, ...others] = actions;
  return others.length === 0 ? `= ${values.add(action ?? null)}` : `= ANY (${values.add(actions)}::text[])`;
}
