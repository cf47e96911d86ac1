import type { TestService } from "../service/test-service.js";

export interface TableCounts {
  readonly inserted: number;
  readonly updated: number;
  /** Updates that no index needed to know. */
  readonly hot: number;
}

/** Returns the server's counts of changed rows. @param service with a single connection */
export async function countsOf({ database, query }: TestService, table: string): Promise<TableCounts> {
  // Otherwise a connection reports its counts when it has been idle for ten seconds.
  const text = "SELECT pg_stat_force_next_flush()";
  await Promise.all([database.of("operator").run({ access: "write", text }, []), query(text)]);
  const [counts] = await query(
    `SELECT n_tup_ins::integer AS inserted, n_tup_upd::integer AS updated, n_tup_hot_upd::integer AS hot
      FROM pg_stat_user_tables WHERE relname = $1`,
    [table],
  );
  return counts;
}
