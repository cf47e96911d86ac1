import { type Command, InvalidArgumentError, Option } from "commander";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import { DomainError } from "../../domain/shared/errors.js";
import { parseRevisionNumber } from "../../domain/shared/internal-id.js";
import { parseSite } from "../../domain/site-configs/site-config.js";

const HOUR_MS = 3_600_000;
const UNITS: ReadonlyMap<string, number> = new Map([
  ["h", HOUR_MS],
  ["d", 24 * HOUR_MS],
  ["w", 7 * 24 * HOUR_MS],
]);
const DATE = /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Citus's default, and enough for 32 workers. */
export const DEFAULT_SHARDS = 32;
/** Citus's maximum. */
const MAX_SHARDS = 64_000;

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

export function parseShards(text: string): number {
  const shards = Number(text);
  if (Number.isInteger(shards) && shards >= 1 && shards <= MAX_SHARDS) return shards;
  throw new InvalidArgumentError(`Use a whole number from 1 to ${MAX_SHARDS}.`);
}

/**
 * Parses an expiry: an ISO 8601 date (start of day in UTC) or time, or a number of hours (h), days (d) or weeks (w) from now.
 * @returns null for any other text, and for a time in the past
 */
export function parseExpiry(text: string, now: Date): Date | null {
  const [, amount, unit = ""] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  const time = amount === undefined ? dateOf(text) : now.getTime() + Number(amount) * (UNITS.get(unit) ?? 0);
  return time > now.getTime() ? new Date(time) : null;
}

function dateOf(text: string): number {
  const [, day = ""] = DATE.exec(text) ?? [];
  const startOfDay = new Date(day);
  // Date accepts 31 February as a day in March.
  if (Number.isNaN(startOfDay.getTime()) || !startOfDay.toISOString().startsWith(day)) return Number.NaN;
  return Date.parse(text);
}
