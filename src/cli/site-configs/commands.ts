import { type Command, Option } from "commander";
import type { ProcessEnvironment } from "../../config/config.js";
import { DEFAULT_SITE } from "../../domain/site-configs/site-config.js";
import {
  addAccountOptions,
  addAuthorOption,
  parseExpectedRevision,
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
    .description("Validate site configuration files and store them");

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
        (await import("./put.js")).putSiteConfig(
          environment,
          file,
          { ...options, isPublic },
          { input: process.stdin, output },
        ),
      );
    });
}
