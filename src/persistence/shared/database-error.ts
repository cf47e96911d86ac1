import { QueryFailedError } from "typeorm";
import { DomainError } from "../../domain/shared/errors.js";

/** How long a caller should wait when the database is out of reach, in seconds. */
const RETRY_AFTER_SECONDS = 1;

/** Operating system and Node.js codes that mean "no connection", beside PostgreSQL's own. */
const CONNECTION_CODES = new Set([
  "EADDRNOTAVAIL",
  "EAI_AGAIN",
  "EAI_FAIL",
  "ECONNABORTED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ENETDOWN",
  "ENETRESET",
  "ENETUNREACH",
  "ENOENT",
  "ENOTCONN",
  "ENOTFOUND",
  "EPIPE",
  "ERR_SOCKET_CLOSED",
  "ERR_STREAM_DESTROYED",
  "ERR_STREAM_WRITE_AFTER_END",
  "ETIMEDOUT",
]);

/** pg reports these without a code. */
const CONNECTION_MESSAGES =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|Driver not Connected)/i;

/**
 * What the server, or a pooler, reports before it closes a connection. Class 08: connection exception, also PgBouncer's "server conn
 * crashed?"; 57P: shutdown, crash, starting up, session idle for too long; 25P03 and 25P04: transaction idle or open for too long.
 * 25006: it takes no writes any more, since another one is the primary now, to which a new connection may lead.
 */
const CONNECTION_ENDED = /^(08|57P0[1-5]|25P0[34]|25006)/;

/**
 * What the server reports when it cannot run a statement now. 53000, 53100, 53200, 53300 and 53400: out of resources, disk, memory,
 * connections, or a configured limit; 58000 and 58030: the system under it, or its disk, has failed. 57014: statement timeout; 55P03: lock
 * timeout; 40001 and 40P01: a conflict of transactions.
 */
const GIVEN_UP = /^(53[0-4]00|580[03]0|57014|55P03|40001|40P01)$/;

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

/**
 * Says whether a statement did not run because its connection has prepared it for columns that have other types now: the schema was
 * changed meanwhile.
 */
export function isOutdatedPlan(error: unknown): boolean {
  const cause = driverError(error);
  // The code alone stands for all that PostgreSQL does not support.
  return (
    codeOf(cause) === "0A000" &&
    /cached plan must not change result type/.test(String(property(cause, "message")))
  );
}

/** Says whether the connection of a failed statement is of no more use: closed or closing, prepared for another schema, or its answer may still come. */
export function isLost(error: unknown): error is Error {
  const cause = driverError(error);
  if (!(cause instanceof Error)) return false;
  const code = property(cause, "code");
  if (typeof code !== "string") return CONNECTION_MESSAGES.test(cause.message);
  return CONNECTION_CODES.has(code) || CONNECTION_ENDED.test(code) || isOutdatedPlan(cause);
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

/** Says whether the database gave up on a statement that it may well run later. */
function isGivenUp(error: unknown): boolean {
  return GIVEN_UP.test(String(codeOf(error)));
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
