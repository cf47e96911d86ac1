import { type Command, Option } from "commander";
import type { ProcessEnvironment } from "../../config/config.js";
import { DEFAULT_SITE } from "../../domain/site-configs/site-config.js";
import {
  environmentOption,
  parseExpectedRevision,
  parseName,
  parseRevision,
  parseSiteOption,
} from "../shared/arguments.js";
import type { RunCommand } from "../shared/run-command.js";
import { checkSiteConfigs } from "./check.js";
import { CHECK_FORMATS } from "./format.js";
import { diffSiteConfig, getSiteConfig, logSiteConfig, putSiteConfig, restoreSiteConfig } from "./store.js";

/** Adds the `site-config` commands. */
export function addSiteConfigCommands(
  program: Command,
  environment: ProcessEnvironment,
  run: RunCommand,
): void {
  const siteConfig = program
    .command("site-config")
    .description("check site configuration files, and keep them in the database");

  siteConfig
    .command("check <files...>")
    .description("tell what is wrong with files; - is standard input. It needs no settings and no database")
    .option("--strict", "count warnings as errors", false)
    .addOption(new Option("--format <format>").choices(CHECK_FORMATS).default("text"))
    .action((files, options) => {
      const print = (text: string) => void process.stdout.write(text);
      return run(() => checkSiteConfigs(files, options, { input: process.stdin, print }));
    });

  addChangeOptions(siteConfig.command("put <file>"))
    .description("store a file as the site's next revision, unless it has errors; - is standard input")
    .option("--strict", "count warnings as errors", false)
    .addOption(
      new Option(
        "--public",
        "let everybody read the site over HTTP, but no revision from before it was opened",
      ).conflicts("private"),
    )
    .addOption(new Option("--private", "let only holders of an API key read it"))
    .action((file, { public: isOpened, private: isClosed, ...options }) => {
      const isPublic = isOpened === true || (isClosed === true ? false : null);
      return run(() => putSiteConfig(environment, file, { ...options, isPublic }, process.stdin));
    });

  addSiteOptions(siteConfig.command("get"))
    .description("write the text of a revision to standard output, byte for byte")
    .option("--revision <number>", "instead of the current one", parseRevision)
    .action((options) => run(() => getSiteConfig(environment, options)));

  addSiteOptions(siteConfig.command("log"))
    .description("list the revisions, newest first")
    .action((options) => run(() => logSiteConfig(environment, options)));

  addSiteOptions(siteConfig.command("diff"))
    .description("tell what changed between two revisions, as a JSON Patch (RFC 6902)")
    .argument("<from>", "the number of the older one", parseRevision)
    .argument("[to]", "of the newer one; without it, the current", parseRevision)
    .action((from, to, options) => run(() => diffSiteConfig(environment, from, to, options)));

  addChangeOptions(siteConfig.command("restore"))
    .description("bring a revision back, as the site's next one")
    .argument("<revision>", "its number", parseRevision)
    .action((revision, options) => run(() => restoreSiteConfig(environment, revision, options)));
}

function addSiteOptions(command: Command): Command {
  return command
    .requiredOption("--account <name>", "the account that the site belongs to", parseName)
    .addOption(environmentOption())
    .option("--site <name>", "the name of the site", parseSiteOption, DEFAULT_SITE);
}

function addChangeOptions(command: Command): Command {
  const expectation = "fail unless this is the number of the current revision; 0: unless there is none";
  return addSiteOptions(command)
    .option("--author <name>", "who makes the change, shown in the log", parseName, "cli")
    .addOption(
      new Option("--expected-revision <number>", expectation)
        .argParser(parseExpectedRevision)
        .default(null, "any"),
    );
}
