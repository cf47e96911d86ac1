import type { Command } from "commander";
import type { ProcessEnvironment } from "../../config/config.js";
import { addAccountOptions, addAuthorOption, parseName, parsePositive } from "../shared/arguments.js";
import type { RunCommand } from "../shared/run-command.js";

/** Adds the `group` commands. */
export function addGroupCommands(program: Command, environment: ProcessEnvironment, run: RunCommand): void {
  const group = program.command("group").description("Manage user groups");

  addAccountOptions(group.command("list"))
    .description("List user groups by external ID, without their tokens")
    .option("--starts-with <prefix>", "list only the external IDs with this prefix")
    .option("--limit <number>", "maximum number of groups", parsePositive, 100)
    .action((options) =>
      run(async (output) => (await import("./groups.js")).listGroups(environment, options, output)),
    );

  addAccountOptions(group.command("get <id>"))
    .description("Show a user group by its external ID")
    .option("--with-token", "include the group's token", false)
    .action((id, options) =>
      run(async (output) => (await import("./groups.js")).getGroup(environment, id, options, output)),
    );

  addAuthorOption(addAccountOptions(group.command("put <id>")))
    .description("Create a user group, or change the given fields of an existing one")
    .option("--name <text>", "name of the group; required to create it", parseName)
    .option("--properties <json>", "properties, which replace the current ones; null removes them")
    .option("--mapping <json>", "data source of each schema ID, which replace the current ones")
    .option("--with-token", "include the group's token in the output", false)
    .action((id, options) =>
      run(async (output) => (await import("./groups.js")).putGroup(environment, id, options, output)),
    );

  addAuthorOption(addAccountOptions(group.command("delete <ids...>")))
    .description("Delete user groups with their mappings; all or none")
    .action((ids, options) =>
      run(async (output) => (await import("./groups.js")).deleteGroups(environment, ids, options, output)),
    );

  addAuthorOption(addAccountOptions(group.command("rotate <ids...>")))
    .description("Rotate the tokens of user groups and print the new ones; all or none")
    .action((ids, options) =>
      run(async (output) => (await import("./groups.js")).rotateGroups(environment, ids, options, output)),
    );
}
