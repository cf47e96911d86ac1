import addCompletion from "@bomb.sh/tab/commander";
import { CHECK_FORMATS } from "@user-groups/site-config/check-format";
import { Command, CommanderError, Help, Option } from "commander";
import { printFailure, reportFailure } from "../app/failure-report.js";
import { packageVersion } from "../app/package-version.js";
import type { ProcessEnvironment } from "../config/config.js";
import { SCOPES } from "../domain/accounts/caller.js";
import { OperatorError, UsageError } from "../domain/shared/operator-error.js";
import { DEFAULT_SITE } from "../domain/site-configs/site-config.js";
import { addConfigurationCommands, addCopyCommand, addPropertiesCommands } from "./remote-commands.js";
import {
  addAccountOptions,
  addAuthorOption,
  DEFAULT_SHARDS,
  environmentOption,
  parseExpectedRevision,
  parseExpiryOption,
  parseName,
  parseShards,
  parseSiteOption,
} from "./shared/arguments.js";
import type { Cli } from "./shared/cli.js";
import { createOutput } from "./shared/output.js";
import { FILE_FORMATS } from "./transfer/source-file.js";

/**
 * Runs one CLI command.
 * @param argv as `process.argv`
 * @returns the exit code: 1 for failures, 2 for invalid arguments, 3 if the database or the called service is unavailable; 1 for invalid
 *   arguments of `config`, because 2 means that `config plan` has found differences
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
  const run: Cli["run"] = async (command) => {
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

  const cli = { program, environment, run };
  addDatabaseCommands(cli);
  addAccountCommands(cli);
  addKeyCommands(cli);
  addGraphqlCommand(cli);
  addSiteConfigCommands(cli);
  addTransferCommands(cli);
  addCopyCommand(cli);
  const config = addConfigurationCommands(cli);
  addPropertiesCommands(cli);
  addRetentionCommands(cli);
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
    if (error.exitCode === 0) return 0;
    const Failure = config.isUsed() ? OperatorError : UsageError;
    return printFailure(new Failure(problem.replace("error: ", "")), isJson());
  }
}

function addDatabaseCommands({ program, environment, run }: Cli): void {
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
  program
    .command("distribute")
    .description(
      "Distribute the tables by account over the workers of a Citus cluster; stop the service first; safe to repeat after an interruption",
    )
    .option("--shards <number>", "number of shards; cannot be changed later", parseShards, DEFAULT_SHARDS)
    .option("--dry-run", "print the statements without running them")
    .option("--status", "print how each table is stored")
    .action((options) =>
      run(async () => (await import("./distribution/distribution.js")).distribute(environment, options)),
    );
}

function addAccountCommands({ program, environment, run }: Cli): void {
  const account = program.command("account").description("Manage accounts");
  account
    .command("create")
    .description("Create an account, to which API keys and all data belong")
    .argument("<name>", "unique name", parseName)
    .action((name) =>
      run(async (output) =>
        (await import("./accounts/accounts.js")).createAccount(environment, name, output),
      ),
    );
  account
    .command("list")
    .description("List accounts")
    .action(() =>
      run(async (output) => (await import("./accounts/accounts.js")).listAccounts(environment, output)),
    );
  account
    .command("export <id>")
    .description("Export everything that is stored about an account, without secrets, as JSON Lines")
    .requiredOption("--to <directory>", "directory to create, which only you can read")
    .action((id, { to }) =>
      run(async (output) =>
        (await import("./accounts/accounts.js")).exportToDirectory(environment, { id, to }, output),
      ),
    );
  account
    .command("delete <id>")
    .description("Delete an account with everything that belongs to it; safe to repeat after an interruption")
    .option("--dry-run", "count the account's rows, but delete nothing", false)
    .option("--yes", "do not ask for the account's name", false)
    .action((id, options) =>
      run(async (output) =>
        (await import("./accounts/accounts.js")).deleteAccount(environment, { id, ...options }, output),
      ),
    );
}

function addKeyCommands({ program, environment, run }: Cli): void {
  const key = program.command("key").description("Manage API keys");
  addAccountOptions(key.command("create"))
    .description("Create an API key and print it; it is shown only once")
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

  const signingKey = program
    .command("signing-key")
    .description("Manage the keys that sign embed sessions, or the tokens of an account's session templates");
  const ofTemplates = ["--account <name>", "the keys of this account's session templates"] as const;
  signingKey
    .command("list")
    .description("List signing keys, without their private keys")
    .option(...ofTemplates)
    .addOption(environmentOption().makeOptionMandatory(false))
    .action((options) =>
      run(async (output) =>
        (await import("./accounts/keys.js")).listSigningKeys(environment, options, output),
      ),
    );
  signingKey
    .command("rotate")
    .description("Add a signing key that replaces the current one in 15 minutes, those of templates in 90")
    .option(...ofTemplates)
    .addOption(environmentOption().makeOptionMandatory(false))
    .option("--revoke", "delete all former keys, which ends all sessions that they signed within a minute")
    .action((options) =>
      run(async (output) =>
        (await import("./accounts/keys.js")).rotateSigningKey(environment, options, output),
      ),
    );

  const token = program.command("token").description("Manage user group tokens");
  token
    .command("reencrypt")
    .description(
      "Re-encrypt all tokens and signing keys with the first key of ENCRYPTION_KEYS; safe to repeat and to run beside the service",
    )
    .option("--status", "count what each key encrypts, and change nothing", false)
    .action(({ status }) =>
      run(async (output) => {
        const { countByKey, reencryptTokens } = await import("./accounts/keys.js");
        await (status ? countByKey : reencryptTokens)(environment, output);
      }),
    );
}

function addGraphqlCommand({ program, environment, run }: Cli): void {
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
        (await import("./graphql/graphql.js")).runGraphql(environment, query, options, {
          input: process.stdin,
          output,
        }),
      ),
    );
}

function addSiteConfigCommands({ program, environment, run }: Cli): void {
  const siteConfig = program
    .command("site-config")
    .description("Validate site configuration files and store them");

  siteConfig
    .command("check <files...>")
    .description("Validate site configuration files, without settings or a database; - is standard input")
    .option("--strict", "treat warnings as errors; notices are never errors", false)
    .addOption(new Option("--format <format>", "output format").choices(CHECK_FORMATS).default("text"))
    .action((files, { format, ...options }) => {
      const print = (text: string) => void process.stdout.write(text);
      return run(async ({ isJson }) => {
        const { checkFiles } = await import("@user-groups/site-config/check");
        const chosen = { ...options, format: isJson ? "json" : format };
        return checkFiles(files, chosen, { input: process.stdin, print });
      });
    });

  addAuthorOption(addAccountOptions(siteConfig.command("put <file>")))
    .description("Store a file as the site's next revision unless it has errors; - is standard input")
    .option("--site <name>", "site name", parseSiteOption, DEFAULT_SITE)
    .addOption(
      new Option(
        "--expected-revision <number>",
        "fail unless this is the current revision; 0 if the site must not exist yet",
      )
        .argParser(parseExpectedRevision)
        .default(null, "any"),
    )
    .option("--strict", "treat warnings as errors; notices are never errors", false)
    .addOption(
      new Option("--public", "allow reading this and later revisions over HTTP without an API key").conflicts(
        "private",
      ),
    )
    .addOption(new Option("--private", "require an API key to read the site"))
    .action((file, { public: shouldOpen, private: shouldClose, ...options }) => {
      const isPublic = shouldOpen === true || (shouldClose === true ? false : null);
      return run(async (output) =>
        (await import("./site-configs/put.js")).putSiteConfig(
          environment,
          file,
          { ...options, isPublic },
          { input: process.stdin, output },
        ),
      );
    });
}

function addTransferCommands({ program, environment, run }: Cli): void {
  addFileOptions(program.command("import"))
    .description("Import data sources, and groups with their tokens and mappings; safe to repeat")
    .option("--dry-run", "report what would change, but change nothing", false)
    .option("--replace-tokens", "overwrite existing tokens with those in the file", false)
    .option("--report <file>", "write rejected lines to this file as JSON Lines")
    .option("--author <name>", "author of the changes, shown in the audit log", parseName, "cli")
    .action((options) =>
      run(async (output) => {
        const streams = { input: process.stdin, output, terminal: process.stderr };
        return (await import("./transfer/import.js")).importFiles(environment, options, streams);
      }),
    );

  addFileOptions(program.command("export"))
    .description("Export data sources, and groups with their mappings, to files that `import` reads")
    .option("--with-tokens", "include the groups' tokens; only you can read the file", false)
    .action((options) =>
      run(async (output) =>
        (await import("./transfer/export.js")).exportFiles(environment, options, {
          terminal: process.stderr,
          output,
        }),
      ),
    );
}

function addFileOptions(command: Command): Command {
  return addAccountOptions(command)
    .option("--data-sources <file>", "file with the data sources; - is standard input or output")
    .option("--groups <file>", "file with the groups, their properties and mappings; or -")
    .addOption(
      new Option("--format <format>", "format of files whose name ends in neither .jsonl nor .csv").choices(
        FILE_FORMATS,
      ),
    );
}

function addRetentionCommands({ program, environment, run }: Cli): void {
  program
    .command("purge")
    .description("Remove expired data now, as the service does once an hour")
    .option("--dry-run", "count the expired rows, but remove nothing", false)
    .action((options) =>
      run(async (output) => (await import("./retention/retention.js")).purge(environment, options, output)),
    );
  addAccountOptions(program.command("erase"))
    .description(
      "Erase what is left of a deleted user group in the audit log, webhook deliveries and stored replies",
    )
    .requiredOption("--user-group <id>", "external ID of the deleted user group", parseName)
    .option("--drop-pending", "delete also webhook deliveries that are still to be sent", false)
    .action((options) =>
      run(async (output) => (await import("./retention/retention.js")).erase(environment, options, output)),
    );
}

/** Marks required options, which Commander's own help does not. */
function describeOption(option: Option): string {
  const description = new Help().optionDescription(option);
  return option.mandatory ? `${description} (required)` : description;
}
