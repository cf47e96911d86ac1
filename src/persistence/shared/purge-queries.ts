import { createHash } from "node:crypto";
import { IN_INDEX_ORDER } from "./row-scope.js";
import type { Queryable } from "./statement.js";

// Raw SQL: batches by ctid in index order, which skip locked rows.

/** Serializes batches; an arbitrary constant that must never change. */
const LOCK_KEY = 7_463_502_120;

/** Tables of tenants in which the environment is a text instead of an enum. */
const WITH_TEXT = ["idempotent_request", "webhook_delivery", "webhook_endpoint"];

/** Rows that expire at a maximum age. */
export interface Purge {
  /** Label in metrics and the log. */
  readonly name: string;
  readonly table: string;
  /** Whether the table has no tenants. */
  readonly isShared?: true;
  /** SQL of the time that the age is computed from: the column of an index that starts with the tenant, or few rows have it. */
  readonly time: string;
  /** null keeps the rows forever. */
  readonly maxAgeMs: number | null;
  /** A table of the same tenant, and the condition of a row that belongs to it. */
  readonly join?: readonly [table: string, condition: string];
  /** A query of few rows that name the only candidates, and the condition of a row that is one, by the alias `chosen`. */
  readonly among?: readonly [query: string, condition: string];
  /** Further condition: that of a partial index. */
  readonly condition?: string;
  /** If set, the rows are updated instead of deleted. */
  readonly assignments?: string;
  /** Whether rows cannot be locked by the application role. */
  readonly isUnlockable?: boolean;
  /** Changes up to `limit` rows in a way of its own. @returns their number; fewer than `limit` means that none are left */
  readonly change?: (transaction: Queryable, accountId: number, limit: number) => Promise<number>;
}

/** Returns the SQL condition for a table's rows of the tenant in $1 and $2. One statement may read environments of both types. */
export function tenantRows(table: string): string {
  const environment = WITH_TEXT.includes(table) ? "$2::text" : "$2::text::environment";
  return `${table}.account_id = $1 AND ${table}.environment = ${environment}`;
}

/** FROM and WHERE of the expired rows. */
function expiredRows({ table, isShared, time, maxAgeMs, join, among, condition = "true" }: Purge): string {
  const joined = join
    ? ` JOIN ${join[0]} ON ${tenantRows(join[0])} AND ${join[1]}`
    : among
      ? ` JOIN (${among[0]}) AS chosen ON ${among[1]}`
      : "";
  return `FROM ${table}${joined} WHERE ${isShared ? "true" : tenantRows(table)} AND ${condition}
    AND ${time} < now() - interval '${Number(maxAgeMs)} milliseconds'`;
}

/** SQL expression: number of expired rows. */
export const expiredCount = (purge: Purge): string => `(SELECT count(*) ${expiredRows(purge)})`;

/** SQL expression: for how many seconds the oldest row has been expired; null if none is. */
export function overdueSeconds(purge: Purge): string {
  const { time, maxAgeMs, join, among } = purge;
  const seconds = `extract(epoch FROM now() - interval '${Number(maxAgeMs)} milliseconds' - ${time})::double precision`;
  // No index has the rows of two tables in order.
  return join || among
    ? `(SELECT max(${seconds}) ${expiredRows(purge)})`
    : `(SELECT ${seconds} ${expiredRows(purge)} ORDER BY ${time} LIMIT 1)`;
}

/** Makes the following statements of the transaction read in index order: the planner expects that policies hide nearly all rows. */
export async function readFromIndex(raw: Queryable): Promise<void> {
  await raw.run({ label: "purge_from_index", access: "write", text: IN_INDEX_ORDER }, []);
}

/** Returns whether no other process purges; for the rest of the transaction. */
export async function tryPurgeLock(raw: Queryable): Promise<boolean> {
  const text = `SELECT pg_try_advisory_xact_lock(${LOCK_KEY}) AS "isLocked"`;
  const [row] = await raw.run<{ isLocked: boolean }>({ label: "purge_lock", access: "write", text }, []);
  return row?.isLocked === true;
}

/** Evaluates one expression of several purges with one statement. @returns the values in the order of the purges */
export async function inspectPurges(
  transaction: Queryable,
  purges: readonly Purge[],
  expressionOf: (purge: Purge) => string,
): Promise<readonly (number | null)[]> {
  const text = `SELECT ${purges.map((purge, index) => `${expressionOf(purge)} AS "${index}"`).join(", ")}`;
  // Prepared: planning takes longer than running it, for each tenant.
  const name = `purge_inspect_${createHash("sha256").update(text).digest("hex").slice(0, 8)}`;
  const [row = {}] = await transaction.run<Record<string, number | null>>(
    { name, access: "write", text },
    [],
  );
  return purges.map((_, index) => row[index] ?? null);
}

/** Removes up to `limit` rows, oldest first where an index has that order. @returns their number; fewer than `limit` means that none are left but locked ones */
export async function removeBatch(
  transaction: Queryable,
  accountId: number,
  purge: Purge,
  limit: number,
): Promise<number> {
  const { table, isShared, time, join, among, assignments, isUnlockable, change } = purge;
  if (change) return change(transaction, accountId, limit);
  const order = join || among ? "" : `ORDER BY ${time}`;
  const lock = isUnlockable ? "" : `FOR UPDATE OF ${table} SKIP LOCKED`;
  const removal = `${assignments === undefined ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${assignments}`}
    WHERE ${isShared ? "true" : tenantRows(table)} AND ctid = ANY (ARRAY(
      SELECT ${table}.ctid ${expiredRows(purge)} ${order} LIMIT ${Number(limit)} ${lock}))`;
  return changeRows(transaction, `purge_${table}`, removal);
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
