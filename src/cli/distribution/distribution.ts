import type { ProcessEnvironment } from "../../config/config.js";
import {
  distributionStatus,
  planDistribution,
  runDistributionStep,
} from "../../persistence/database/distribution.js";
import { formatTable, writeOutput } from "../shared/output.js";
import { withStorage } from "../shared/storage.js";

/** Distributes the tables, and prints the statements; or prints how each table is stored. */
export async function distribute(
  environment: ProcessEnvironment,
  options: { readonly shards: number; readonly dryRun?: boolean; readonly status?: boolean },
): Promise<void> {
  const { shards, dryRun = false, status = false } = options;
  await withStorage(environment, { migrate: !dryRun && !status, role: "owner" }, async ({ database }) => {
    if (status) {
      const rows = (await distributionStatus(database)).map((row) => [
        row.table,
        row.type,
        String(row.shards),
      ]);
      return writeOutput(formatTable([["TABLE", "TYPE", "SHARDS"], ...rows]));
    }
    const steps = await planDistribution(database, shards);
    if (steps.length === 0) return writeOutput("All tables are distributed.\n");
    for (const step of steps) {
      if (!dryRun) await runDistributionStep(database, step);
      process.stdout.write(step.statements.map((statement) => `${statement};\n`).join(""));
    }
  });
}
