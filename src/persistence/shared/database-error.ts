import { QueryFailedError } from "typeorm";
import { DomainError } from "../../domain/shared/errors.js";

/** Retry-After of requests that fail because the database is unavailable. */
const RETRY_AFTER_SECONDS = 1;

/** Operating system and Node.js error codes that mean "no connection". */
const CONNECTION_CODES =
  /^(EADDRNOTAVAIL|EAI_|ECONN|EHOST|ENET|ENOENT|ENOTCONN|ENOTFOUND|EPIPE|ETIMEDOUT|ERR_SOCKET_CLOSED|ERR_STREAM_)/;

/** pg reports these without a code. */
const CONNECTION_MESSAGES =
  /^(Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end|Driver not Connected)/i;

/**
 * SQLSTATEs after which the connection must be closed. Class 08: connection exception, also PgBouncer's "server conn crashed?";
 * 57P: shutdown, crash, starting up, idle session timeout; 25P03 and 25P04: transaction timeouts. 25006: read-only after a failover; a new
 * connection may reach the new primary.
 */
const CONNECTION_CLOSED = /^(08|57P0[1-5]|25P0[34]|25006)/;

/**
 * SQLSTATEs of temporary failures. 53000, 53100, 53200, 53300 and 53400: out of resources, disk, memory, connections, or a configured
 * limit; 58000 and 58030: system or I/O error; 57014: statement timeout; 55P03: lock timeout; the conflicts of a transaction.
 */
const TEMPORARY_FAILURE = /^(53[0-4]00|580[03]0|57014|55P03)$/;

/**
 * SQLSTATEs of conflicts that roll a transaction back. 40001 and 40P01: serialization failure and deadlock; CIINF of Citus: the result of a
 * part of the statement is on the worker from which the account's shard was moved meanwhile.
 */
const TRANSACTION_CONFLICT = /^(40001|40P01|CIINF)$/;

/**
 * Translates a database error for the caller.
 * @returns DomainError `query_too_expensive` for a search that timed out, `unavailable` for other temporary failures; or else the error
 */
export function translateDatabaseError(error: unknown, { isSearch = false } = {}): unknown {
  if (error instanceof DomainError || !(isConnectionUnusable(error) || isTemporary(error))) return error;
  if (isSearch && codeOf(error) === "57014") {
    const message = "The search took too long. Narrow the filter, or leave out `totalCount`.";
    return new DomainError("query_too_expensive", message, { cause: error });
  }
  return new DomainError("unavailable", "The service is temporarily unavailable. Try again shortly.", {
    retryAfter: RETRY_AFTER_SECONDS,
    cause: error,
  });
}

/** Returns whether an error is a violation of the named constraint. */
export function violates(error: unknown, constraint: string): boolean {
  const cause = driverError(error);
  if (property(cause, "constraint") === constraint) return true;
  // Citus only reports the message of the worker, in which the constraint of a shard has the shard's number as a suffix.
  const message = String(property(cause, "message"));
  return /^23/.test(String(codeOf(cause))) && new RegExp(`\\b${constraint}_\\d+\\b`).test(message);
}

/**
 * Returns whether a prepared statement did not run because the schema was changed after it was prepared.
 */
export function isOutdatedPlan(error: unknown): boolean {
  const cause = driverError(error);
  // The code alone is not enough: it is that of every unsupported feature.
  return (
    codeOf(cause) === "0A000" &&
    /cached plan must not change result type/.test(String(property(cause, "message")))
  );
}

/** Returns whether the connection must be discarded: it is closed, has outdated prepared statements, or may still receive the reply. */
export function isConnectionUnusable(error: unknown): error is Error {
  const cause = driverError(error);
  if (!(cause instanceof Error)) return false;
  const code = property(cause, "code");
  if (typeof code !== "string") return CONNECTION_MESSAGES.test(cause.message);
  return CONNECTION_CODES.test(code) || CONNECTION_CLOSED.test(code) || isOutdatedPlan(cause);
}

/** Returns whether a statement failed because an established connection was lost, so that a retry on another one may succeed. */
export function isConnectionLost(error: unknown): boolean {
  const cause = driverError(error);
  const code = property(cause, "code");
  if (typeof code === "string") return /^(ECONNRESET|EPIPE|08...|57P0[125])$/.test(code);
  // Excludes connect timeouts: a retry would wait as long again.
  const messages = /^(Connection terminated(?! due to connection timeout)|Client has encountered)/i;
  return cause instanceof Error && messages.test(cause.message);
}

export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

/** Returns whether a transaction was rolled back by a conflict with another one or a move of its shard, so that a retry may succeed. */
export function isTransactionConflict(error: unknown): boolean {
  return TRANSACTION_CONFLICT.test(String(codeOf(error)));
}

function isTemporary(error: unknown): boolean {
  return TEMPORARY_FAILURE.test(String(codeOf(error))) || isTransactionConflict(error);
}

function codeOf(error: unknown): unknown {
  return property(driverError(error), "code");
}

/** Unwraps the driver's error. */
function driverError(error: unknown): unknown {
  if (error instanceof DomainError) return driverError(error.cause);
  return error instanceof QueryFailedError ? error.driverError : error;
}

function property(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
