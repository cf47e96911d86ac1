import type { DatabaseOptions } from "../persistence/shared/database-options.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { Config } from "./config.js";

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
    queueSize: config.databaseQueueSize,
    connectTimeoutMs: config.databaseConnectTimeoutMs,
    statementTimeoutMs: config.databaseStatementTimeoutMs,
    lockTimeoutMs: config.databaseLockTimeoutMs,
    idleInTransactionTimeoutMs: config.databaseIdleTransactionTimeoutMs,
    ...(telemetry ? { telemetry } : {}),
  };
}
