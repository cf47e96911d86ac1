import addCompletion from "@bomb.sh/tab/commander";
import { Command, CommanderError, Help, Option } from "commander";
import { printFailure, reportFailure } from "../app/failure-report.js";
import { packageVersion } from "../app/package-version.js";
import type { ProcessEnvironment } from "../config/config.js";
import { SCOPES } from "../domain/accounts/caller.js";
import { UsageError } from "../domain/shared/operator-error.js";
import { addAccountCommands, addSigningKeyCommands } from "./accounts/commands.js";
import { addDistributeCommand } from "./distribution/commands.js";
import { addGraphqlCommand } from "./graphql/commands.js";
import { addRetentionCommands } from "./retention/commands.js";
import { environmentOption, parseExpiryOption, parseName } from "./shared/arguments.js";
import { createOutput } from "./shared/output.js";
import type { RunCommand } from "./shared/run-command.js";
import { addSiteConfigCommands } from "./site-configs/commands.js";
import { addTransferCommands } from "./transfer/commands.js";

/**
 * Runs one CLI command.
 * @param argv as `process.argv`
 * @returns the exit code: 1 for failures, 2 for invalid arguments, 3 if the database is unavailable
 */
export async function runCommand(argv: readonly string[], environment: ProcessEnvironment): Promise<number> {
  let exitCode = 0;
  const version = await packageVersion();
  const program = new Command("user-groups")
    .description("Run and manage the user group service; settings are read from environment variables")
    .version(version)
    .option("--json", "print the result as JSON", false)
    .configureHelp({ optionDescription: describeOption, showGlobalOptions: true })
    .configureOutput({
      writeErr: (text) => isJson() || process.stderr.write(text),
      outputError: () => undefined,
    })
    .exitOverride();
  const isJson = () => program.opts()["json"] === true;
  const run: RunCommand = async (command) => {
    exitCode = await reportFailure(() => command(createOutput(isJson())), isJson());
  };

  program
    .command("serve")
    .description("Run the service")
    .action(async () => {
      // Import lazily: loading the server would double the startup time and memory of other commands.
      const { serve } = await import("../app/serve.js");
      exitCode = await serve(environment, isJson());
    });

  const migrate = program.command("migrate").description("Manage the database schema");
  migrate
    .command("up")
    .description("Apply pending migrations")
    .option("--dry-run", "print their SQL and the locks they take, and change nothing", false)
    .action(({ dryRun }) =>
      run(async (output) => {
        const { migrateDatabaseUp, printMigrationPlan } = await import("./migrations.js");
        await (dryRun ? printMigrationPlan : migrateDatabaseUp)(environment, output);
      }),
    );
  migrate
    .command("down")
    .description("Revert the newest migration and delete the data that it added")
    .action(() =>
      run(async (output) => (await import("./migrations.js")).migrateDatabaseDown(environment, output)),
    );
  migrate
    .command("status")
    .description("List migrations and their status")
    .action(() =>
      run(async (output) => (await import("./migrations.js")).showMigrations(environment, output)),
    );

  const key = program.command("key").description("Manage API keys");
  key
    .command("create")
    .description("Create an API key and print it; it is shown only once")
    .requiredOption("--account <name>", "account name", parseName)
    .addOption(environmentOption())
    .addOption(new Option("--scope <scope>", "scope of the key").choices(SCOPES).makeOptionMandatory())
    .option("--name <text>", "name of the key, shown in lists", parseName, "cli")
    .option(
      "--expires <when>",
      "expiry: a date such as 2030-12-31, or a duration such as 90d or 12h",
      parseExpiryOption,
    )
    .action((options) =>
      run(async (output) => (await import("./accounts/keys.js")).createKey(environment, options, output)),
    );
  key
    .command("list")
    .description("List API keys, without their secrets")
    .option("--account <name>", "list only the keys of this account")
    .action((options) =>
      run(async (output) => (await import("./accounts/keys.js")).listKeys(environment, options, output)),
    );
  key
    .command("revoke <id>")
    .description("Revoke an API key permanently; `key list` shows the IDs")
    .action((id) =>
      run(async (output) => (await import("./accounts/keys.js")).revokeKey(environment, id, output)),
    );

  for (const addCommands of [
    addAccountCommands,
    addSigningKeyCommands,
    addGraphqlCommand,
    addSiteConfigCommands,
    addTransferCommands,
    addDistributeCommand,
    addRetentionCommands,
  ]) {
    addCommands(program, environment, run);
  }

  const token = program.command("token").description("Manage user group tokens");
  token
    .command("reencrypt")
    .description(
      "Re-encrypt all tokens and signing keys with the first key of ENCRYPTION_KEYS; safe to repeat and to run beside the service",
    )
    .option("--status", "count what each key encrypts, and change nothing", false)
    .action(({ status }) =>
      run(async (output) => {
        const { countByKey, reencryptTokens } = await import("./accounts/tokens.js");
        await (status ? countByKey : reencryptTokens)(environment, output);
      }),
    );

  program
    .command("schema")
    .description("Print the GraphQL schema")
    .option("--subgraph", "with the directives of Apollo Federation, for composition")
    .action(async ({ subgraph = false }: { readonly subgraph?: boolean }) => {
      const { printSdl } = await import("../graphql/server/schema.js");
      const { printSubgraphSdl } = await import("../graphql/server/federation/subgraph-schema.js");
      process.stdout.write(subgraph ? printSubgraphSdl() : printSdl());
    });
  program
    .command("openapi")
    .description("Print the OpenAPI document of the REST API")
    .action(async () => {
      const { printOpenApi } = await import("../http/openapi/document.js");
      process.stdout.write(printOpenApi(version));
    });

  addCompletion(program);

  try {
    await program.parseAsync(argv);
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const problem = error.code === "commander.help" ? "missing subcommand" : error.message;
    return error.exitCode === 0 ? 0 : printFailure(new UsageError(problem.replace("error: ", "")), isJson());
  }
}

/** Marks required options, which Commander's own help does not. */
function describeOption(option: Option): string {
  const description = new Help().optionDescription(option);
  return option.mandatory ? `${description} (required)` : description;
}
