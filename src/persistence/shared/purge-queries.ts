import { createHash } from "node:crypto";
import { IN_INDEX_ORDER } from "./row-scope.js";
import type { Queryable } from "./statement.js";

// Raw SQL: batches by ctid in index order, which skip locked rows, and an advisory lock.

/** Serializes batches; an arbitrary constant that must never change. */
const LOCK_KEY = 7_463_502_120;

/** Each batch looks for rows of all of them. */
const CANDIDATES_PER_PART = 100;

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
  readonly among?: Candidates;
  /** Further condition: that of a partial index. */
  readonly condition?: string;
  /** If set, the rows are updated instead of deleted. */
  readonly assignments?: string;
  /** Whether rows cannot be locked by the application role. */
  readonly isUnlockable?: boolean;
  /** Changes up to `limit` rows in a way of its own. @returns their number; fewer than `limit` means that none are left */
  readonly change?: (transaction: Queryable, accountId: number, limit: number) => Promise<number>;
}

/** Parents of rows that may have expired. */
export interface Candidates {
  /** A query that finds them, once per run. */
  readonly query: string;
  /** Its columns with their types. */
  readonly columns: string;
  /** SQL condition of a row of the candidate `chosen`. */
  readonly condition: string;
  /** Column of an index on these rows: ascending from the oldest. */
  readonly order: string;
}

/** Returns the SQL condition for a table's rows of the tenant in $1 and $2. One statement may read environments of both types. */
export function tenantRows(table: string): string {
  const environment = WITH_TEXT.includes(table) ? "$2::text" : "$2::text::environment";
  return `${table}.account_id = $1 AND ${table}.environment = ${environment}`;
}

/** FROM and WHERE of the expired rows. @param limit of the rows of each candidate @param found SQL of candidates that were found before */
function expiredRows({ among, ...purge }: Purge, limit: number | "ALL" = "ALL", found?: string): string {
  if (!among) return rowsOf(purge);
  const { table, time } = purge;
  // LATERAL: a join would read all rows of all candidates, and in no order.
  return `FROM ${found ?? `(${among.query}) AS chosen`} CROSS JOIN LATERAL (SELECT ${table}.ctid, ${time}
    ${rowsOf({ ...purge, condition: among.condition })} ORDER BY ${among.order} LIMIT ${limit}) AS ${table}`;
}

function rowsOf({ table, isShared, time, maxAgeMs, join, condition = "true" }: Purge): string {
  const joined = join ? ` JOIN ${join[0]} ON ${tenantRows(join[0])} AND ${join[1]}` : "";
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
    ? `(SELECT max(${seconds}) ${expiredRows(purge, 1)})`
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

/** Finds the candidates that have expired rows, in parts for `removeBatch`. Without candidates, the one part is null. */
export async function findCandidates(
  transaction: Queryable,
  purge: Purge,
): Promise<readonly (readonly object[] | null)[]> {
  if (!purge.among) return [null];
  const text = `SELECT chosen.* ${expiredRows(purge, 1)}`;
  const label = `purge_find_${purge.table}`;
  const candidates = await transaction.run({ label, access: "write", text }, []);
  return Array.from({ length: Math.ceil(candidates.length / CANDIDATES_PER_PART) }, (_, index) =>
    candidates.slice(index * CANDIDATES_PER_PART, (index + 1) * CANDIDATES_PER_PART),
  );
}

/**
 * Removes up to `limit` rows, oldest first where an index has that order; with candidates, the oldest of each.
 * @param candidates a part of those that `findCandidates` returned
 * @returns the number of rows; fewer than `limit` means that none are left but locked ones
 */
export async function removeBatch(
  transaction: Queryable,
  accountId: number,
  purge: Purge,
  { limit, candidates }: { readonly limit: number; readonly candidates: readonly object[] | null },
): Promise<number> {
  const { table, isShared, time, join, among, assignments, isUnlockable, change } = purge;
  if (change) return change(transaction, accountId, limit);
  const found = among && `jsonb_to_recordset($3::jsonb) AS chosen (${among.columns})`;
  const order = join || among ? "" : `ORDER BY ${time}`;
  const lock = isUnlockable ? "" : `FOR UPDATE OF ${table} SKIP LOCKED`;
  const removal = `${assignments === undefined ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${assignments}`}
    WHERE ${isShared ? "true" : tenantRows(table)} AND ctid = ANY (ARRAY(
      SELECT ${table}.ctid ${expiredRows(purge, Number(limit), found)} ${order} LIMIT ${Number(limit)} ${lock}))`;
  const values = candidates ? [JSON.stringify(candidates)] : [];
  return changeRows(transaction, `purge_${table}`, removal, values);
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
