import { type Command, InvalidArgumentError } from "commander";
import type { ProcessEnvironment } from "../../config/config.js";
import type { RunCommand } from "../shared/run-command.js";

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
    .action((options) =>
      run(async () => (await import("./distribution.js")).distribute(environment, options)),
    );
}

function parseShards(text: string): number {
  const shards = Number(text);
  if (Number.isInteger(shards) && shards >= 1 && shards <= MAX_SHARDS) return shards;
  throw new InvalidArgumentError(`Use a whole number from 1 to ${MAX_SHARDS}.`);
}
