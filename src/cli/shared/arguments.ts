import { type Command, InvalidArgumentError, Option } from "commander";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import { DomainError } from "../../domain/shared/errors.js";
import { parseInternalId, parseRevisionNumber } from "../../domain/shared/internal-id.js";
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

/** Parses an ID or a number of items. */
export function parsePositive(text: string): number {
  return required(parseInternalId(text), "a positive integer");
}

export function parseRevision(text: string): number {
  return required(parseRevisionNumber(text), "a positive integer");
}

export function parseExpectedRevision(text: string): number {
  return required(text === "0" ? 0 : parseRevisionNumber(text), "a non-negative integer");
}

function required(number: number | null, kind: string): number {
  if (number !== null) return number;
  throw new InvalidArgumentError(`It must be ${kind}.`);
}

export function parseUrlOption(text: string): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw new InvalidArgumentError("It must be a URL that begins with http:// or https://.");
}
