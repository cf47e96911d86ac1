import { type Command, InvalidArgumentError, Option } from "commander";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import { DomainError } from "../../domain/shared/errors.js";
import { parseRevisionNumber } from "../../domain/shared/internal-id.js";
import { parseSite } from "../../domain/site-configs/site-config.js";
import { parseExpiry } from "./key-expiry.js";

export function environmentOption() {
  return new Option("--environment <name>", "environment of the account")
    .choices(ENVIRONMENTS)
    .makeOptionMandatory();
}

/** Adds the options that choose an account and its environment. */
export function addAccountOptions(command: Command): Command {
  return command.requiredOption("--account <name>", "account name", parseName).addOption(environmentOption());
}

/** Adds the option for the author of a change. */
export function addAuthorOption(command: Command): Command {
  return command.option("--author <name>", "author of the change, shown in the audit log", parseName, "cli");
}

// Argument parsers for commander, which shows the name of the argument with the errors that they throw.

export function parseName(text: string): string {
  if (text.trim() === "" || text.length > 255) {
    throw new InvalidArgumentError("It must be 1 to 255 characters long.");
  }
  return text;
}

export function parseExpiryOption(text: string): Date {
  const expiry = parseExpiry(text, new Date());
  if (expiry) return expiry;
  throw new InvalidArgumentError(
    "It must be in the future: a date such as 2030-12-31, or a duration such as 90d, 12h or 4w.",
  );
}

export function parseSiteOption(text: string): string {
  try {
    return parseSite(text, ["site"]);
  } catch (error) {
    throw error instanceof DomainError ? new InvalidArgumentError(`It ${error.message}.`) : error;
  }
}

export function parseExpectedRevision(text: string): number {
  const revision = text === "0" ? 0 : parseRevisionNumber(text);
  if (revision !== null) return revision;
  throw new InvalidArgumentError("It must be a non-negative integer.");
}
