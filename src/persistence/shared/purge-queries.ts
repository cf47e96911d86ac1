import type { Queryable, Statement } from "./statement.js";

// Statements: batches by ctid in the order of an index.

/** Rows of all accounts that are no longer needed once they have reached an age. */
export interface ExpiringRows {
  readonly table: string;
  /** When a row came to be; the column that an index of the rows begins with. */
  readonly column: string;
  /** What else must hold, as constants: the condition of a partial index. */
  readonly condition?: string;
  /** Updates the rows, which then no longer expire, instead of deleting them. */
  readonly assignments?: string;
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

/** Deletes, or updates, some rows that are older than `maxAgeMs`, the oldest first. @returns how many */
export async function purgeExpired(
  transaction: Queryable,
  rows: ExpiringRows,
  maxAgeMs: number,
  limit: number,
): Promise<number> {
  const [name, change] =
    rows.assignments === undefined
      ? ["delete_expired", `DELETE FROM ${rows.table}`]
      : ["update_expired", `UPDATE ${rows.table} SET ${rows.assignments}`];
  // A row that changes meanwhile moves, and stays. Of two processes that purge at once one finds its rows gone, and leaves the rest to the
  // other.
  const text = `WITH gone AS (
      ${change} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${rows.table}
        WHERE ${rows.column} < now() - $1::double precision * interval '1 millisecond'
          ${rows.condition === undefined ? "" : `AND ${rows.condition}`}
        ORDER BY ${rows.column} LIMIT $2))
      RETURNING 1)
    SELECT count(*)::integer AS count FROM gone`;
  await readFromIndex(transaction);
  const [gone] = await transaction.run<{ count: number }>(
    { name: `${nameOf(rows)}_${name}`, access: "write", text },
    [maxAgeMs, limit],
  );
  return gone?.count ?? 0;
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

function nameOf({ table, column }: ExpiringRows): string {
  return `${table}_${column}`;
}
