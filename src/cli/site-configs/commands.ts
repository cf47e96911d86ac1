import { type Command, Option } from "commander";
import type { ProcessEnvironment } from "../../config/config.js";
import { DEFAULT_SITE } from "../../domain/site-configs/site-config.js";
import {
  addAccountOptions,
  parseExpectedRevision,
  parseName,
  parseRevision,
  parseSiteOption,
} from "../shared/arguments.js";
import type { RunCommand } from "../shared/run-command.js";
import { CHECK_FORMATS } from "./format.js";

/** Adds the `site-config` commands. */
export function addSiteConfigCommands(
  program: Command,
  environment: ProcessEnvironment,
  run: RunCommand,
): void {
  const siteConfig = program
    .command("site-config")
    .description("Validate site configuration files and manage stored site configurations");

  siteConfig
    .command("check <files...>")
    .description("Validate site configuration files, without settings or a database; - is standard input")
    .option("--strict", "treat warnings as errors; notices are never errors", false)
    .addOption(new Option("--format <format>", "output format").choices(CHECK_FORMATS).default("text"))
    .action((files, { format, ...options }) => {
      const print = (text: string) => void process.stdout.write(text);
      return run(async ({ isJson }) => {
        const { checkSiteConfigs } = await import("./check.js");
        const chosen = { ...options, format: isJson ? "json" : format };
        return checkSiteConfigs(files, chosen, { input: process.stdin, print });
      });
    });

  addAccountOptions(siteConfig.command("list"))
    .description("List sites and their current revisions")
    .action((options) =>
      run(async (output) => (await import("./store.js")).listSiteConfigs(environment, options, output)),
    );

  addChangeOptions(siteConfig.command("put <file>"))
    .description("Store a file as the site's next revision unless it has errors; - is standard input")
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
        (await import("./store.js")).putSiteConfig(
          environment,
          file,
          { ...options, isPublic },
          { input: process.stdin, output },
        ),
      );
    });

  addSiteOptions(siteConfig.command("get"))
    .description("Print the stored text of a revision")
    .option("--revision <number>", "revision to print (default: the current one)", parseRevision)
    .action((options) =>
      run(async (output) => (await import("./store.js")).getSiteConfig(environment, options, output)),
    );

  addSiteOptions(siteConfig.command("log"))
    .description("List revisions, newest first")
    .action((options) =>
      run(async (output) => (await import("./store.js")).logSiteConfig(environment, options, output)),
    );

  addSiteOptions(siteConfig.command("diff"))
    .description("Print the changes between two revisions as a JSON Patch (RFC 6902)")
    .argument("<from>", "number of the older revision", parseRevision)
    .argument("[to]", "number of the newer revision (default: the current one)", parseRevision)
    .action((from, to, options) =>
      run(async () => (await import("./store.js")).diffSiteConfig(environment, from, to, options)),
    );

  addChangeOptions(siteConfig.command("restore"))
    .description("Restore an earlier revision as the site's next revision")
    .argument("<revision>", "number of the revision to restore", parseRevision)
    .action((revision, options) =>
      run(async (output) =>
        (await import("./store.js")).restoreSiteConfig(environment, revision, options, output),
      ),
    );
}

function addSiteOptions(command: Command): Command {
  return addAccountOptions(command).option("--site <name>", "site name", parseSiteOption, DEFAULT_SITE);
}

function addChangeOptions(command: Command): Command {
  const expectation = "fail unless this is the current revision; 0 if the site must not exist yet";
  return addSiteOptions(command)
    .option("--author <name>", "author of the change, shown in the log", parseName, "cli")
    .addOption(
      new Option("--expected-revision <number>", expectation)
        .argParser(parseExpectedRevision)
        .default(null, "any"),
    );
}
