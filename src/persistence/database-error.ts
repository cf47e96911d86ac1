import { QueryFailedError } from "typeorm";
import { DomainError } from "../domain/errors.js";

/** How long a caller should wait when the database is out of reach, in seconds. */
const RETRY_AFTER_SECONDS = 1;

/** Operating system and driver codes that mean "no connection", beside PostgreSQL's own. */
const CONNECTION_CODES = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
]);

/** pg reports these without a code. */
const CONNECTION_MESSAGES =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|Driver not Connected)/i;

/**
 * What the server, or a pooler, says before it closes a connection. Class 08: connection exception; 57P: shutdown, crash,
 * starting up, session idle for too long; 25P03 and 25P04: transaction idle or open for too long. 25006: it takes no writes any
 * more, since another one is the primary now, to which a new connection may lead.
 */
const CONNECTION_ENDED = /^(08|57P0[1-5]|25P0[34]|25006)/;

/**
 * Gives a failure of the database its meaning for a caller.
 * @returns a DomainError `unavailable` where the database is out of reach; every other error as it came
 */
export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof DomainError || !(isLost(error) || isGivenUp(error))) return error;
  return new DomainError("unavailable", "The service is temporarily unavailable. Try again shortly.", {
    retryAfter: RETRY_AFTER_SECONDS,
    cause: error,
  });
}

/** Says whether an error is the violation of the constraint of that name. */
export function violates(error: unknown, constraint: string): boolean {
  return property(driverError(error), "constraint") === constraint;
}

/** Says whether the connection of a failed statement is of no more use: closed or closing, or its answer may still come. */
export function isLost(error: unknown): error is Error {
  const cause = driverError(error);
  if (!(cause instanceof Error)) return false;
  const code = property(cause, "code");
  if (typeof code !== "string") return CONNECTION_MESSAGES.test(cause.message);
  return CONNECTION_CODES.has(code) || CONNECTION_ENDED.test(code);
}

/** Says whether a statement failed because its connection, which was there, was lost: another one may well work. */
export function isCutOff(error: unknown): boolean {
  const cause = driverError(error);
  const code = property(cause, "code");
  if (typeof code === "string") return /^(ECONNRESET|EPIPE|08...|57P0[125])$/.test(code);
  // Not one that could not be made in time: to wait as long once more helps nobody.
  const messages = /^(Connection terminated(?! due to connection timeout)|Client has encountered)/i;
  return cause instanceof Error && messages.test(cause.message);
}

/** Says whether a statement waited too long for what another transaction holds. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

/** Says whether a transaction failed only because another one stood in its way: run again, it may well succeed. */
export function isTransactionConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(String(codeOf(error)));
}

/** Says whether a statement failed because it asks for too much: elsewhere, or once more, it would again. */
export function isGivenUpForGood(error: DomainError): boolean {
  return error.code === "unavailable" && (error.cause === undefined || codeOf(error) === "57014");
}

/**
 * Says whether the database gave up on a statement. 57014: statement time-out; 55P03: lock time-out; 40001 and 40P01: a conflict
 * of transactions; 53300: too many connections.
 */
function isGivenUp(error: unknown): boolean {
  return /^(57014|55P03|40001|40P01|53300)$/.test(String(codeOf(error)));
}

function codeOf(error: unknown): unknown {
  return property(driverError(error), "code");
}

/** What the driver said, whatever it was wrapped in since. */
function driverError(error: unknown): unknown {
  if (error instanceof DomainError) return driverError(error.cause);
  return error instanceof QueryFailedError ? error.driverError : error;
}

function property(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
