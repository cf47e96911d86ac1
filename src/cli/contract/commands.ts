import type { Command } from "commander";
import type { ProcessEnvironment } from "../../config/config.js";
import { parseUrlOption } from "../shared/arguments.js";
import type { RunCommand } from "../shared/run-command.js";

/** Adds the `contract` commands. */
export function addContractCommands(
  program: Command,
  environment: ProcessEnvironment,
  run: RunCommand,
): void {
  program
    .command("contract")
    .description("Compare this service with another implementation of its REST API")
    .command("check")
    .description(
      "Send the same REST calls to this and another service and show how the replies differ; set CONTRACT_KEY and CONTRACT_AGAINST_KEY to their API keys",
    )
    .requiredOption("--against <url>", "base URL of the other service", parseUrlOption)
    .option("--url <url>", "base URL of this service", parseUrlOption, "http://127.0.0.1:4000")
    .option("--data-source <id>", "external ID of a data source that exists in both, for calls with mappings")
    .action((options) =>
      run(async (output) => (await import("./check.js")).compareContracts(environment, options, output)),
    );
}
