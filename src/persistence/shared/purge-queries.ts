import type { Queryable, Statement } from "./statement.js";

// Raw SQL: batches by ctid in index order.

/** Rows of all accounts that expire at a maximum age. */
export interface ExpiringRows {
  readonly table: string;
  /** Time that the age is computed from; must be the first column of an index. */
  readonly column: string;
  /** Further condition, without placeholders: that of a partial index. */
  readonly condition?: string;
  /** If set, the rows are updated instead of deleted. */
  readonly assignments?: string;
}

/**
 * Forces index scans in index order for the rest of the transaction. The planner assumes that row-level security hides nearly all rows and
 * would otherwise read and sort the whole table for each batch.
 */
const FROM_INDEX: Statement = {
  name: "purge_from_index",
  access: "write",
  text: "SELECT set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)",
};

/** Makes the following statements of the transaction read in index order. */
export async function readFromIndex(transaction: Queryable): Promise<void> {
  await transaction.run(FROM_INDEX, []);
}

/** Deletes or updates up to `limit` rows that are older than `maxAgeMs`, oldest first. @returns the number of rows */
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
  // A concurrently updated row gets a new ctid and is skipped. Of two concurrent purges, one finds the rows gone and stops.
  const text = `WITH gone AS (
      ${change} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${rows.table}
        WHERE ${rows.column} < now() - $1::double precision * interval '1 millisecond'
          ${rows.condition === undefined ? "" : `AND ${rows.condition}`}
        ORDER BY ${rows.column} LIMIT $2))
      RETURNING 1)
    SELECT count(*)::integer AS count FROM gone`;
  await readFromIndex(transaction);
  const [purged] = await transaction.run<{ count: number }>(
    { name: `${nameOf(rows)}_${name}`, access: "write", text },
    [maxAgeMs, limit],
  );
  return purged?.count ?? 0;
}

/** Returns for how many seconds the oldest row has been expired; 0 if none is. */
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
