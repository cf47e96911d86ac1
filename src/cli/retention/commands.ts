import type { Command } from "commander";
import type { ProcessEnvironment } from "../../config/config.js";
import { environmentOption, parseName } from "../shared/arguments.js";
import type { RunCommand } from "../shared/run-command.js";

/** Adds `purge` and `erase`. */
export function addRetentionCommands(
  program: Command,
  environment: ProcessEnvironment,
  run: RunCommand,
): void {
  program
    .command("purge")
    .description("Remove expired data now, as the service does once an hour")
    .option("--dry-run", "count the expired rows, but remove nothing", false)
    .action((options) =>
      run(async (output) => (await import("./retention.js")).purge(environment, options, output)),
    );
  program
    .command("erase")
    .description(
      "Erase what is left of a deleted user group in the audit log, webhook deliveries and stored replies",
    )
    .requiredOption("--account <name>", "account name", parseName)
    .addOption(environmentOption())
    .requiredOption("--user-group <id>", "external ID of the deleted user group", parseName)
    .option("--drop-pending", "delete also webhook deliveries that are still to be sent", false)
    .action((options) =>
      run(async (output) => (await import("./retention.js")).erase(environment, options, output)),
    );
}
