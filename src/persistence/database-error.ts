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
 * Gives a failure of the database its meaning for a caller.
 * @returns a DomainError `unavailable` where the database is out of reach; every other error as it came
 */
export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof DomainError || !isUnreachable(driverError(error))) return error;
  return new DomainError("unavailable", "The service is temporarily unavailable. Try again shortly.", {
    retryAfter: RETRY_AFTER_SECONDS,
    cause: error,
  });
}

/** Says whether an error is the violation of the constraint of that name. */
export function violates(error: unknown, constraint: string): boolean {
  return property(driverError(error), "constraint") === constraint;
}

/** Says whether the connection of a failed statement is lost: its answer may still come, or never. */
export function isLost(error: unknown): error is Error {
  if (error instanceof DomainError) return isLost(error.cause);
  return error instanceof Error && CONNECTION_MESSAGES.test(error.message);
}

/** Says whether a statement failed because its connection, which was there, was lost: another one may well work. */
export function isCutOff(error: unknown): boolean {
  const cause = error instanceof DomainError ? error.cause : error;
  const code = property(driverError(cause), "code");
  if (typeof code === "string") return /^(ECONNRESET|EPIPE|08006|57P0[12])$/.test(code);
  return cause instanceof Error && /^(Connection terminated|Client has encountered)/i.test(cause.message);
}

/** Says whether a statement waited too long for what another transaction holds. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

/** Says whether a transaction failed only because another one stood in its way: run again, it may well succeed. */
export function isTransactionConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(String(codeOf(error)));
}

function isUnreachable(error: unknown): boolean {
  const code = property(error, "code");
  if (typeof code === "string") {
    // Class 08: connection exception; 57P: shutdown, crash, starting up; 53300: too many connections; then what the
    // database gave up on: 57014 statement time-out, 55P03 lock time-out, 40001 and 40P01 a conflict of transactions.
    return CONNECTION_CODES.has(code) || /^(08|57P0[1-5]|53300|57014|55P03|40001|40P01)/.test(code);
  }
  return error instanceof Error && CONNECTION_MESSAGES.test(error.message);
}

function codeOf(error: unknown): unknown {
  return property(driverError(error instanceof DomainError ? error.cause : error), "code");
}

function driverError(error: unknown): unknown {
  return error instanceof QueryFailedError ? error.driverError : error;
}

function property(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
