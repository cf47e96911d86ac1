import type { Command } from "commander";
import type { ProcessEnvironment } from "../../config/config.js";
import { parseUrlOption } from "../shared/arguments.js";
import { writeOutput } from "../shared/output.js";
import type { RunCommand } from "../shared/run-command.js";
import { compareContracts } from "./check.js";

/** Adds the `contract` commands. */
export function addContractCommands(
  program: Command,
  environment: ProcessEnvironment,
  run: RunCommand,
): void {
  program
    .command("contract")
    .description("compare services by their interface")
    .command("check")
    .description(
      "send the interface's calls to another service and to ours, and show in what their replies differ; the API keys are in the environment, CONTRACT_KEY and CONTRACT_AGAINST_KEY",
    )
    .requiredOption("--against <url>", "the base URL of the other service", parseUrlOption)
    .option("--url <url>", "the base URL of ours", parseUrlOption, "http://127.0.0.1:4000")
    .option("--data-source <id>", "a data source that both have, for mappings")
    .option("--json", "print the result as JSON", false)
    .action((options) => run(() => compareContracts(environment, options, writeOutput)));
}
