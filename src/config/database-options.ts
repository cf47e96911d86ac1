import type { DatabaseOptions } from "../persistence/shared/database-options.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { Config } from "./config.js";

const QUEUE_PER_CONNECTION = 100;

/** Returns the options of a connection pool that serves requests. */
export function databaseOptions(
  config: Config,
  target: DatabaseOptions["target"],
  telemetry?: Telemetry,
): DatabaseOptions {
  return {
    target,
    pooled: config.databasePooled,
    poolSize: config.databasePoolSize,
    queueSize: QUEUE_PER_CONNECTION * config.databasePoolSize,
    connectTimeoutMs: config.databaseConnectTimeoutMs,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    lockTimeoutMs: config.databaseStatementTimeoutMs / 2,
    idleInTransactionTimeoutMs: config.databaseStatementTimeoutMs,
    keepsHistory: config.retention.groupHistoryDays > 0,
    ...(telemetry ? { telemetry } : {}),
  };
}
