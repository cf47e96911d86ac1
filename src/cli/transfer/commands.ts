import { type Command, Option } from "commander";
import type { ProcessEnvironment } from "../../config/config.js";
import { addAccountOptions, parseName } from "../shared/arguments.js";
import type { RunCommand } from "../shared/run-command.js";
import { FILE_FORMATS } from "./source-file.js";

/** Adds the `import` and `export` commands. */
export function addTransferCommands(
  program: Command,
  environment: ProcessEnvironment,
  run: RunCommand,
): void {
  addFileOptions(program.command("import"))
    .description("Import data sources, groups with their tokens, and mappings; safe to repeat")
    .option("--dry-run", "report what would change, but change nothing", false)
    .option("--replace-tokens", "overwrite existing tokens with those in the file", false)
    .option("--report <file>", "write rejected lines to this file as JSON Lines")
    .option("--author <name>", "author of the changes, shown in the audit log", parseName, "cli")
    .action((options) =>
      run(async (output) => {
        const streams = { input: process.stdin, output, terminal: process.stderr };
        return (await import("./import.js")).importFiles(environment, options, streams);
      }),
    );

  addFileOptions(program.command("export"))
    .description("Export data sources, groups and mappings to files that `import` reads")
    .option("--with-tokens", "include the groups' tokens; only you can read the file", false)
    .action((options) =>
      run(async (output) =>
        (await import("./export.js")).exportFiles(environment, options, { terminal: process.stderr, output }),
      ),
    );
}

function addFileOptions(command: Command): Command {
  return addAccountOptions(command)
    .option("--data-sources <file>", "file with the data sources; - is standard input or output")
    .option("--groups <file>", "file with the groups, their properties and mappings; or -")
    .option("--mappings <file>", "file with the mappings, one entry per line; or -")
    .addOption(
      new Option("--format <format>", "format of files whose name ends in neither .jsonl nor .csv").choices(
        FILE_FORMATS,
      ),
    );
}
