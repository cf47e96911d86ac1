import { Any } from "typeorm";
import { changeRows, tenantRows } from "../shared/purge-queries.js";
import type { Queryable } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";
import { AuditEntryEntity } from "./entries.js";

// Raw SQL: UPDATE of rows found by pairs of keys, in batches that skip locked rows.

const TENANT = tenantRows("audit_entry");

/** Groups per batch of the purge. A group may have many entries, which are limited separately. */
const MAX_GROUPS = 200;

/** Entries about deletions of groups that still have the groups' external IDs. The form of pseudonyms is that of the policy. */
export const NAMED_DELETIONS = {
  table: "audit_entry",
  time: "created_at",
  condition: "action = 'user_group.deleted' AND subject_name !~ '^erased:[0-9a-f]{32}$'",
} as const;

/** A deleted user group, as the audit log names it. */
export interface DeletedGroup {
  readonly id: number;
  readonly providedId: string;
}

/**
 * Replaces the external IDs of groups that were deleted more than `maxAgeMs` ago in the audit log by pseudonyms, oldest deletion first.
 * @returns the number of entries; fewer than `limit` means that none are left
 */
export async function pseudonymizeDeletions(
  transaction: Queryable,
  pseudonymOf: (name: string) => string,
  maxAgeMs: number,
  limit: number,
): Promise<number> {
  const { table, time, condition } = NAMED_DELETIONS;
  const text = `SELECT subject_id AS id, subject_name AS "providedId" FROM ${table}
    WHERE ${TENANT} AND ${condition} AND ${time} < now() - interval '${Number(maxAgeMs)} milliseconds'
    ORDER BY ${time} LIMIT ${MAX_GROUPS} FOR UPDATE SKIP LOCKED`;
  for (let rows = 0; ; ) {
    const statement = { label: "audit_named_deletions", access: "write", text } as const;
    const groups = await transaction.run<DeletedGroup>(statement, []);
    const erased = groups.map((group) => ({ ...group, pseudonym: pseudonymOf(group.providedId) }));
    rows += await pseudonymizeEntries(transaction, erased, limit - rows);
    if (rows === limit || groups.length < MAX_GROUPS) return rows;
  }
}

/** Finds deleted groups by external ID or pseudonym. */
export async function findDeletions(db: TenantDb, names: readonly string[]): Promise<DeletedGroup[]> {
  const manager = db.manager("read", "audit_deletions");
  const where = { ...db.key, action: "user_group.deleted", subjectName: Any([...names]) } as const;
  const entries = await manager.findBy(AuditEntryEntity, where);
  return entries.map(({ subjectId, subjectName }) => ({ id: subjectId, providedId: subjectName }));
}

/**
 * Replaces the external IDs of groups in up to `limit` audit entries by pseudonyms. The entries of the deletions are last, because
 * `findNamedDeletions` looks for them.
 * @returns the number of entries; fewer than `limit` means that none are left
 */
export async function pseudonymizeEntries(
  transaction: Queryable,
  groups: readonly (DeletedGroup & { readonly pseudonym: string })[],
  limit: number,
): Promise<number> {
  const values = [
    groups.map(({ id }) => id),
    groups.map(({ providedId }) => providedId),
    groups.map(({ pseudonym }) => pseudonym),
  ];
  const update = (condition: string, maxRows: number) =>
    changeRows(
      transaction,
      "audit_pseudonymize",
      `UPDATE audit_entry SET subject_name = erased.pseudonym
      FROM unnest($3::bigint[], $4::text[], $5::text[]) AS erased (id, name, pseudonym)
      WHERE ${TENANT} AND subject_id = erased.id AND subject_name = erased.name AND ctid = ANY (ARRAY(
        SELECT audit_entry.ctid FROM audit_entry JOIN unnest($3::bigint[], $4::text[]) AS erased (id, name)
          ON subject_name = erased.name AND subject_id = erased.id
        WHERE ${TENANT} AND action LIKE 'user\\_group.%' AND ${condition}
        LIMIT ${Number(maxRows)} FOR UPDATE OF audit_entry SKIP LOCKED))`,
      values,
    );
  const others = await update("action <> 'user_group.deleted'", limit);
  if (others === limit) return others;
  return others + (await update("action = 'user_group.deleted'", limit - others));
}
