import type { ClientConfig } from "pg";
import type { DatabaseServer } from "../../telemetry/database-metrics.js";
import type { Telemetry } from "../../telemetry/telemetry.js";

/** Time after which an idle connection is closed. */
export const IDLE_MS = 10_000;

/** Makes the server close idle sessions: after a network failure it does not notice that the client has gone. */
export const END_IF_ABANDONED = `SET idle_session_timeout = ${2 * IDLE_MS}`;

/** Connection target and pool settings of a database. */
export interface DatabaseOptions {
  /** A connection URL, or its parts; then the host is the directory of a Unix socket. */
  readonly target:
    | { readonly url: string }
    | {
        readonly host: string;
        readonly port: number;
        readonly user: string;
        readonly password: string;
        readonly database: string;
      };
  /** Maximum number of connections of this process. */
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  /** Lock timeout of a statement and idle timeout of a transaction; 0, the default, disables them. */
  readonly lockTimeoutMs?: number;
  readonly idleInTransactionTimeoutMs?: number;
  /** Whether connections go through a transaction-mode pooler, which keeps no session state between transactions. */
  readonly pooled?: boolean;
  /** Maximum number of callers waiting for a connection; further ones are rejected. Unlimited by default. */
  readonly queueSize?: number;
  /** Called for each statement that is sent. */
  readonly onStatement?: (text: string) => void;
  readonly telemetry?: Telemetry;
  /** Label of the metrics; `primary` by default. */
  readonly server?: DatabaseServer;
}

/** Converts a target to options of the driver's `Client`. */
export function clientOptions(target: DatabaseOptions["target"]): ClientConfig {
  return "url" in target ? { connectionString: target.url } : target;
}
