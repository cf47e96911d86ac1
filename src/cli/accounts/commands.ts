import type { Command } from "commander";
import type { ProcessEnvironment } from "../../config/config.js";
import { parseName } from "../shared/arguments.js";
import type { RunCommand } from "../shared/run-command.js";

/** Adds `account create`, `account list`, `account export` and `account delete`. */
export function addAccountCommands(program: Command, environment: ProcessEnvironment, run: RunCommand): void {
  const account = program.command("account").description("Manage accounts");
  account
    .command("create")
    .description("Create an account, to which API keys and all data belong")
    .argument("<name>", "unique name", parseName)
    .action((name) =>
      run(async (output) => (await import("./accounts.js")).createAccount(environment, name, output)),
    );
  account
    .command("list")
    .description("List accounts")
    .action(() => run(async (output) => (await import("./accounts.js")).listAccounts(environment, output)));
  account
    .command("export <id>")
    .description("Export everything that is stored about an account, without secrets, as JSON Lines")
    .requiredOption("--to <directory>", "directory to create, which only you can read")
    .action((id, { to }) =>
      run(async (output) =>
        (await import("./accounts.js")).exportToDirectory(environment, { id, to }, output),
      ),
    );
  account
    .command("delete <id>")
    .description("Delete an account with everything that belongs to it; safe to repeat after an interruption")
    .option("--dry-run", "count the account's rows, but delete nothing", false)
    .option("--yes", "do not ask for the account's name", false)
    .action((id, options) =>
      run(async (output) =>
        (await import("./accounts.js")).deleteAccount(environment, { id, ...options }, output),
      ),
    );
}

/** Adds `signing-key list` and `signing-key rotate`. */
export function addSigningKeyCommands(
  program: Command,
  environment: ProcessEnvironment,
  run: RunCommand,
): void {
  const signingKey = program.command("signing-key").description("Manage the keys that sign embed sessions");
  signingKey
    .command("list")
    .description("List signing keys, without their private keys")
    .action(() =>
      run(async (output) => (await import("./signing-keys.js")).listSigningKeys(environment, output)),
    );
  signingKey
    .command("rotate")
    .description("Add a signing key that replaces the current one in 15 minutes")
    .option("--revoke", "delete all former keys, which ends all embed sessions within a minute")
    .action((options) =>
      run(async (output) =>
        (await import("./signing-keys.js")).rotateSigningKey(environment, options, output),
      ),
    );
}
