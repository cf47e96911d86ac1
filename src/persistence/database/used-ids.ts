import type { Queryable, Statement } from "../shared/statement.js";

// Raw SQL: the catalog. The sequence of account IDs is missing: the application role has no privilege on it.
const USED_IDS: Statement = {
  name: "used_ids",
  access: "read",
  text: `SELECT regexp_replace(sequencename, '_(team_id|id_seq)$', '') AS "table", last_value::double precision / max_value AS used
    FROM pg_sequences
    WHERE schemaname = current_schema() AND data_type = 'integer'::regtype AND last_value IS NOT NULL`,
};

/** Reads the used share of the IDs that come from 32-bit sequences, from 0 to 1, by table. */
export async function readUsedIds(operator: Queryable): Promise<Record<string, number>> {
  const rows = await operator.run<{ readonly table: string; readonly used: number }>(USED_IDS, []);
  return Object.fromEntries(rows.map(({ table, used }) => [table, used]));
}
