import { createHash } from "node:crypto";
import { IN_INDEX_ORDER } from "./row-scope.js";
import type { Queryable, Statement } from "./statement.js";
import type { TenantDb } from "./tenant-db.js";

// Raw SQL: batches by ctid in index order, which skip locked rows.

/** How the purge finds and removes expired rows: of one tenant, or of a table without tenants. */
export interface PurgeQueries<Db = TenantDb> {
  /** SQL expression: for how many seconds the oldest row has been expired; null if none is. */
  readonly overdueSeconds: string;
  /** SQL expression: number of expired rows. */
  readonly count: string;
  /** Removes up to `limit` rows. */
  removeBatch(transaction: Db, limit: number): Promise<PurgedBatch>;
}

export interface PurgedBatch {
  readonly rows: number;
  /** Whether no expired rows are left but locked ones. */
  readonly isLast: boolean;
}

/** Rows that expire at a maximum age. */
export interface ExpiringRows {
  readonly table: string;
  /** The tenant's rows by the type of `environment`; null for a table without tenants. */
  readonly environment: "enum" | "text" | null;
  /** SQL of the time that the age is computed from: the column of an index that starts with the tenant, or few rows have it. */
  readonly time: string;
  /** Further condition: that of a partial index. */
  readonly condition?: string;
  /** If set, the rows are updated instead of deleted. */
  readonly assignments?: string;
}

const FROM_INDEX: Statement = { label: "purge_from_index", access: "write", text: IN_INDEX_ORDER };

/** Makes the following statements of the transaction read in index order. */
export async function readFromIndex(transaction: Queryable): Promise<void> {
  await transaction.run(FROM_INDEX, []);
}

/** Returns the SQL condition for the rows of the tenant in $1 and $2. One statement may read columns `environment` of both types. */
export function tenantRows(environment: ExpiringRows["environment"]): string {
  if (environment === null) return "true";
  return `account_id = $1 AND environment = $2::text${environment === "enum" ? "::environment" : ""}`;
}

/** Returns the queries that delete, or update, rows older than `maxAgeMs`, oldest first. */
export function expiredRows(rows: ExpiringRows, maxAgeMs: number): PurgeQueries<Queryable> {
  const { table, environment, time, condition = "true", assignments } = rows;
  const maxAge = `interval '${maxAgeMs} milliseconds'`;
  const expired = `${tenantRows(environment)} AND ${condition} AND ${time} < now() - ${maxAge}`;
  const change = assignments === undefined ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${assignments}`;
  return {
    overdueSeconds: `(SELECT extract(epoch FROM now() - ${maxAge} - ${time})::double precision FROM ${table}
      WHERE ${expired} ORDER BY ${time} LIMIT 1)`,
    count: `(SELECT count(*) FROM ${table} WHERE ${expired})`,
    async removeBatch(transaction, limit) {
      const removal = `${change} WHERE ${tenantRows(environment)} AND ctid = ANY (ARRAY(
        SELECT ctid FROM ${table} WHERE ${expired} ORDER BY ${time} LIMIT ${Number(limit)} FOR UPDATE SKIP LOCKED))`;
      const removed = await changeRows(transaction, `purge_${table}`, removal);
      return { rows: removed, isLast: removed < limit };
    },
  };
}

/** Runs a DELETE or UPDATE. @returns the number of rows */
export async function changeRows(
  transaction: Queryable,
  label: string,
  change: string,
  values: readonly unknown[] = [],
): Promise<number> {
  const text = `WITH gone AS (${change} RETURNING 1) SELECT count(*)::integer AS count FROM gone`;
  const [changed] = await transaction.run<{ count: number }>({ label, access: "write", text }, values);
  return changed?.count ?? 0;
}

/** Evaluates one expression of several purges with one statement. @returns the values by name */
export async function inspectPurges(
  transaction: Queryable,
  expressions: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, number | null>> {
  const columns = [...expressions].map(([name, expression]) => `${expression} AS "${name}"`);
  const text = `SELECT ${columns.join(", ")}`;
  // Prepared: planning takes longer than running it, for each tenant.
  const name = `purge_inspect_${createHash("sha256").update(text).digest("hex").slice(0, 8)}`;
  const [row] = await transaction.run<Record<string, number | null>>({ name, access: "write", text }, []);
  return new Map(Object.entries(row ?? {}));
}
