import type { Queryable } from "../shared/statement.js";

/** Has the planner learn how large the tables are that an import fills. */
export async function analyzeImported(db: Queryable): Promise<void> {
  await db.run({ access: "write", text: "SELECT analyze_imported()" }, []);
}
