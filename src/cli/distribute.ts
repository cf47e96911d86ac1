import { type Command, InvalidArgumentError } from "commander";
import type { ProcessEnvironment } from "../config/config.js";
import {
  distributionStatus,
  planDistribution,
  runDistributionStep,
} from "../persistence/database/distribution.js";
import { writeOutput } from "./shared/output.js";
import type { RunCommand } from "./shared/run-command.js";
import { withStorage } from "./shared/storage.js";
import { formatTable } from "./shared/table.js";

/** Citus's default, and enough for 32 workers. */
const DEFAULT_SHARDS = 32;
/** Citus's maximum. */
const MAX_SHARDS = 64_000;

/** Adds `distribute`. */
export function addDistributeCommand(
  program: Command,
  environment: ProcessEnvironment,
  run: RunCommand,
): void {
  program
    .command("distribute")
    .description(
      "Distribute the tables by account over the workers of a Citus cluster; stop the service first; safe to repeat after an interruption",
    )
    .option("--shards <number>", "number of shards; cannot be changed later", parseShards, DEFAULT_SHARDS)
    .option("--dry-run", "print the statements without running them")
    .option("--status", "print how each table is stored")
    .action((options) => run(() => distribute(environment, options)));
}

async function distribute(
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

function parseShards(text: string): number {
  const shards = Number(text);
  if (Number.isInteger(shards) && shards >= 1 && shards <= MAX_SHARDS) return shards;
  throw new InvalidArgumentError(`Use a whole number from 1 to ${MAX_SHARDS}.`);
}
