import type { Queryable } from "../shared/statement.js";

/** Updates the planner statistics of the imported tables. */
export async function analyzeImported(db: Queryable): Promise<void> {
  await db.run({ access: "write", text: "SELECT analyze_imported()" }, []);
}
