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
    .description(
      "bring data sources, groups with their tokens, and mappings in; done again, it changes nothing that is there already",
    )
    .option("--dry-run", "tell what would happen, and change nothing", false)
    .option("--replace-tokens", "give groups that have another token here that of the file", false)
    .option("--checkpoint <file>", "keep there how far it has come, and go on there")
    .option("--report <file>", "write the refused lines there, as JSON Lines")
    .option("--json", "print the summary as JSON", false)
    .option("--author <name>", "who does it, shown in the audit log", parseName, "cli")
    .action((options) => {
      const streams = { input: process.stdin, print: writeOutput, terminal: process.stderr };
      return run(() => importFiles(environment, options, streams));
    });

  addFileOptions(program.command("export"))
    .description("write files that import reads")
    .option("--with-tokens", "write the tokens of the groups, too, into a file that only you may read", false)
    .action((options) => run(() => exportFiles(environment, options, process.stderr)));
}

function addFileOptions(command: Command): Command {
  return command
    .requiredOption("--account <name>", "the account", parseName)
    .addOption(environmentOption())
    .option("--data-sources <file>", "file of the environment's data sources; - is standard input or output")
    .option("--groups <file>", "that of the groups, with their properties and mappings")
    .option("--mappings <file>", "that of the mappings, an entry on each line")
    .addOption(
      new Option("--format <format>", "for names that end in neither .jsonl nor .csv").choices(FILE_FORMATS),
    );
}
