import type { DatabaseOptions } from "../persistence/shared/database-options.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { Config } from "./config.js";

/** How the settings want a server to be used that requests are answered from. */
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
