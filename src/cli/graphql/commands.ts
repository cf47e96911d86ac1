import type { Command } from "commander";
import type { ProcessEnvironment } from "../../config/config.js";
import { addAccountOptions, addAuthorOption } from "../shared/arguments.js";
import type { RunCommand } from "../shared/run-command.js";

/** Adds `graphql`. */
export function addGraphqlCommand(program: Command, environment: ProcessEnvironment, run: RunCommand): void {
  addAuthorOption(addAccountOptions(program.command("graphql [query]")))
    .description("Run a GraphQL query or mutation with the scope admin and print its data as JSON")
    .option("--file <file>", "file with the query; - is standard input")
    .option("--variables <json>", "variables as a JSON object, or @ and the name of a file with one")
    .option(
      "--variable <name=value>",
      "one variable, which may be repeated: a text, or JSON if its type is neither String, ID, DateTime nor an enum",
      (setting: string, settings: readonly string[]) => [...settings, setting],
      [],
    )
    .action((query, options) =>
      run(async (output) =>
        (await import("./graphql.js")).runGraphql(environment, query, options, {
          input: process.stdin,
          output,
        }),
      ),
    );
}
