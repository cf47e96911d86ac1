import { Command, CommanderError, Option } from "commander";
import { reportFailure } from "../app/failure-report.js";
import { packageVersion } from "../app/package-version.js";
import type { ProcessEnvironment } from "../config/config.js";
import { SCOPES } from "../domain/accounts/caller.js";
import { createKey, listKeys, revokeKey } from "./accounts/keys.js";
import { reencryptTokens } from "./accounts/tokens.js";
import { addContractCommands } from "./contract/commands.js";
import { migrateDatabaseDown, migrateDatabaseUp, showMigrations } from "./migrations.js";
import { environmentOption, parseExpiryOption, parseName } from "./shared/arguments.js";
import type { RunCommand } from "./shared/run-command.js";
import { addSiteConfigCommands } from "./site-configs/commands.js";
import { addTransferCommands } from "./transfer/commands.js";

/**
 * Runs one CLI command.
 * @param argv as `process.argv`
 * @returns the exit code: 1 for failures and usage errors
 */
export async function runCommand(argv: readonly string[], environment: ProcessEnvironment): Promise<number> {
  let exitCode = 0;
  const run: RunCommand = async (command) => {
    exitCode = await reportFailure(command);
  };
  const version = await packageVersion();
  const program = new Command("user-groups")
    .description("The user group service. It reads its settings from the environment; see the README.")
    .version(version)
    .exitOverride();

  program
    .command("serve")
    .description("run the service until it is stopped")
    .action(async () => {
      // Import lazily: loading the server would double the startup time and memory of other commands.
      const { serve } = await import("../app/serve.js");
      exitCode = await serve(environment);
    });

  const migrate = program.command("migrate").description("change or show the database's schema");
  migrate
    .command("up")
    .description("apply every missing migration")
    .action(() => run(() => migrateDatabaseUp(environment)));
  migrate
    .command("down")
    .description("take the newest migration back, and with it the data that it brought")
    .action(() => run(() => migrateDatabaseDown(environment)));
  migrate
    .command("status")
    .description("list the migrations")
    .action(() => run(() => showMigrations(environment)));

  const key = program.command("key").description("manage API keys");
  key
    .command("create")
    .description("make an API key and print it: this is the only time that it is shown")
    .requiredOption("--account <name>", "the account; it is created when it is new", parseName)
    .addOption(environmentOption())
    .addOption(new Option("--scope <scope>").choices(SCOPES).makeOptionMandatory())
    .option("--name <text>", "what the key is for, shown in lists", parseName, "cli")
    .option("--expires <when>", "a date, or a time from now such as 90d, 12h", parseExpiryOption)
    .action((options) => run(() => createKey(environment, options)));
  key
    .command("list")
    .description("list the API keys, never their secrets")
    .option("--account <name>", "only those of one account")
    .action((options) => run(() => listKeys(environment, options)));
  key
    .command("revoke <id>")
    .description("end an API key for good; the id is the one of `key list`")
    .action((id) => run(() => revokeKey(environment, id)));

  for (const addCommands of [addSiteConfigCommands, addTransferCommands, addContractCommands]) {
    addCommands(program, environment, run);
  }

  const token = program.command("token").description("look after user group tokens");
  token
    .command("reencrypt")
    .description(
      "encrypt every token under the first of ENCRYPTION_KEYS, while the service runs; may be repeated",
    )
    .action(() => run(() => reencryptTokens(environment)));

  program
    .command("schema")
    .description("print the GraphQL schema")
    .action(async () => {
      const { printSdl } = await import("../graphql/server/schema.js");
      process.stdout.write(printSdl());
    });
  program
    .command("openapi")
    .description("print the OpenAPI document of the REST API")
    .action(async () => {
      const { printOpenApi } = await import("../http/openapi/document.js");
      process.stdout.write(printOpenApi(version));
    });

  try {
    await program.parseAsync(argv);
    return exitCode;
  } catch (error) {
    // Commander has already reported invalid arguments or printed the help.
    if (error instanceof CommanderError) return error.exitCode;
    throw error;
  }
}
