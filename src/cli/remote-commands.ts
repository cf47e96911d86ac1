import type { Cli } from "./shared/cli.js";

// Commands that call the API of a service, which may run elsewhere, with keys from the environment.

export function addCopyCommand({ program, environment, run }: Cli): void {
  program
    .command("copy-groups")
    .description(
      "Copy groups of one environment to another, over the API, with new tokens; safe to repeat. The API keys are in USER_GROUPS_FROM_API_KEY and USER_GROUPS_TO_API_KEY",
    )
    .option("--filter <json>", "the groups to copy, as a UserGroupFilter of the GraphQL API")
    .option("--all", "copy all groups", false)
    .option("--from-url <url>", "service to read from; USER_GROUPS_URL by default")
    .option("--to-url <url>", "service to write to; USER_GROUPS_URL by default")
    .option("--dry-run", "print what would change in each group, but change nothing", false)
    .action((options) =>
      run(async (output) =>
        (await import("./transfer/copy-groups.js")).copyGroups(environment, options, {
          terminal: process.stderr,
          output,
        }),
      ),
    );
}

/** @returns a function that says whether one of the commands was called, also with invalid arguments */
export function addConfigurationCommands({ program, environment, run }: Cli): {
  readonly isUsed: () => boolean;
} {
  const PRUNE = ["--prune", "delete what a section of the file does not have", false] as const;
  let isUsed = false;
  program.hook("preSubcommand", (_, command) => {
    isUsed = command.name() === "config";
  });
  const config = program
    .command("config")
    .description(
      "Manage what makes an environment as a file, over the API of a service: USER_GROUPS_URL and USER_GROUPS_API_KEY, a key with the scope admin",
    );
  config
    .command("export")
    .description("Print the environment as a file in YAML, without secrets")
    .action(() =>
      run(async (output) =>
        (await import("./configuration/commands.js")).exportEnvironment(environment, output),
      ),
    );
  config
    .command("plan <file>")
    .description("Print what `apply` would change; the exit code is 2 if there is something")
    .option(...PRUNE)
    .action((file, options) =>
      run(async (output) =>
        (await import("./configuration/commands.js")).planEnvironment(environment, file, options, output),
      ),
    );
  config
    .command("apply <file>")
    .description("Make the environment what the file says; stops at the first change that is refused")
    .option(...PRUNE)
    .option("--set-secrets", "send the secrets of existing session templates as well", false)
    .option("--secrets-file <file>", "file to create for the signing secrets of new webhook endpoints")
    .option("--yes", "do not ask", false)
    .action((file, options) =>
      run(async (output) =>
        (await import("./configuration/commands.js")).applyEnvironment(environment, file, options, output),
      ),
    );
  return { isUsed: () => isUsed };
}

export function addPropertiesCommands({ program, environment, run }: Cli): void {
  const properties = program
    .command("properties")
    .description(
      "Use an environment's schema for properties, over the API of a service: USER_GROUPS_URL and USER_GROUPS_API_KEY",
    );
  properties
    .command("types")
    .description("Print a TypeScript type for the properties, which the client package takes")
    .action(() =>
      run(async (output) =>
        (await import("./configuration/property-types.js")).printPropertyTypes(environment, output),
      ),
    );
}
