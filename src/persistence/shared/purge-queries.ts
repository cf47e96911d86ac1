import type { Queryable, Statement } from "./statement.js";

/** Rows of all accounts that are no longer needed once they have reached an age. */
export interface ExpiringRows {
  readonly table: string;
  /** When a row came to be; the column that an index of the rows begins with. */
  readonly column: string;
  /** What else must hold, as constants: the condition of a partial index. */
  readonly condition?: string;
}

/**
 * For the rest of a transaction, has rows read from an index in its order. PostgreSQL expects that the operator's policy hides nearly
 * all of them, and would read and sort all there are for each batch.
 */
const FROM_INDEX: Statement = {
  name: "purge_from_index",
  access: "write",
  text: "SELECT set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)",
};

/** Has what follows in the transaction read few rows of many, in the order of an index. */
export async function readFromIndex(transaction: Queryable): Promise<void> {
  await transaction.run(FROM_INDEX, []);
}

/** Deletes some rows that are older than `maxAgeMs`, the oldest first. @returns how many */
export async function deleteExpired(
  transaction: Queryable,
  rows: ExpiringRows,
  maxAgeMs: number,
  limit: number,
): Promise<number> {
  const text = `WITH gone AS (DELETE FROM ${rows.table} WHERE ${isOneOfExpired(rows)} RETURNING 1) ${COUNT}`;
  return countOf(
    transaction,
    { name: `${nameOf(rows)}_delete_expired`, access: "write", text },
    maxAgeMs,
    limit,
  );
}

/** Changes some rows that are older than `maxAgeMs`, which then are no longer among them. @returns how many */
export async function updateExpired(
  transaction: Queryable,
  rows: ExpiringRows & { readonly assignments: string },
  maxAgeMs: number,
  limit: number,
): Promise<number> {
  const text = `WITH gone AS (
    UPDATE ${rows.table} SET ${rows.assignments} WHERE ${isOneOfExpired(rows)} RETURNING 1) ${COUNT}`;
  return countOf(
    transaction,
    { name: `${nameOf(rows)}_update_expired`, access: "write", text },
    maxAgeMs,
    limit,
  );
}

/** For how long the oldest row should have been gone, in seconds; 0 where there is none. */
export async function expiredSeconds(
  operator: Queryable,
  rows: ExpiringRows,
  maxAgeMs: number,
): Promise<number> {
  const text = `SELECT coalesce(greatest(extract(epoch FROM now() - min(${rows.column})) - $1::double precision / 1000, 0), 0)::double precision
      AS seconds FROM ${rows.table} ${rows.condition === undefined ? "" : `WHERE ${rows.condition}`}`;
  const statement: Statement = { name: `${nameOf(rows)}_expired_age`, access: "read", text };
  const [oldest] = await operator.run<{ seconds: number }>(statement, [maxAgeMs]);
  return oldest?.seconds ?? 0;
}

const COUNT = "SELECT count(*)::integer AS count FROM gone";

/**
 * A row that changes meanwhile moves, and stays. Of two processes that purge at once one finds its rows gone, and leaves the rest to the
 * other.
 */
function isOneOfExpired({ table, column, condition }: ExpiringRows): string {
  return `ctid = ANY (ARRAY(
    SELECT ctid FROM ${table}
    WHERE ${column} < now() - $1::double precision * interval '1 millisecond' ${condition === undefined ? "" : `AND ${condition}`}
    ORDER BY ${column} LIMIT $2))`;
}

function nameOf({ table, column }: ExpiringRows): string {
  return `${table}_${column}`;
}

async function countOf(
  transaction: Queryable,
  statement: Statement,
  maxAgeMs: number,
  limit: number,
): Promise<number> {
  await readFromIndex(transaction);
  const [gone] = await transaction.run<{ count: number }>(statement, [maxAgeMs, limit]);
  return gone?.count ?? 0;
}
