import { type Command, Option } from "commander";
import type { ProcessEnvironment } from "../../config/config.js";
import { environmentOption, parseName } from "../shared/arguments.js";
import { writeOutput } from "../shared/output.js";
import type { RunCommand } from "../shared/run-command.js";
import { exportFiles } from "./export.js";
import { FILE_FORMATS } from "./files/source-file.js";
import { importFiles } from "./import.js";

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
    .option("--checkpoint <file>", "save the progress in this file, and resume from it")
    .option("--report <file>", "write rejected lines to this file as JSON Lines")
    .option("--json", "print the summary as JSON", false)
    .option("--author <name>", "author of the changes, shown in the audit log", parseName, "cli")
    .action((options) => {
      const streams = { input: process.stdin, print: writeOutput, terminal: process.stderr };
      return run(() => importFiles(environment, options, streams));
    });

  addFileOptions(program.command("export"))
    .description("Export data sources, groups and mappings to files that `import` reads")
    .option("--with-tokens", "include the groups' tokens; only you can read the file", false)
    .action((options) => run(() => exportFiles(environment, options, process.stderr)));
}

function addFileOptions(command: Command): Command {
  return command
    .requiredOption("--account <name>", "account name", parseName)
    .addOption(environmentOption())
    .option("--data-sources <file>", "file with the data sources; - is standard input or output")
    .option("--groups <file>", "file with the groups, their properties and mappings")
    .option("--mappings <file>", "file with the mappings, one entry per line")
    .addOption(
      new Option("--format <format>", "format of files whose name ends in neither .jsonl nor .csv").choices(
        FILE_FORMATS,
      ),
    );
}
