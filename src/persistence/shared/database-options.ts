import type { ClientConfig } from "pg";
import type { DatabaseServer } from "../../telemetry/database-metrics.js";
import type { Telemetry } from "../../telemetry/telemetry.js";

/** How long a connection stays open that nobody needs. */
export const IDLE_MS = 10_000;

/** Has the server end a connection that nobody uses: where the network has lost it, it never learns that we closed it. */
export const END_IF_ABANDONED = `SET idle_session_timeout = ${2 * IDLE_MS}`;

/** How to reach a database and how to use it. */
export interface DatabaseOptions {
  /** A connection URL, or the parts of one where the host is the directory of a Unix socket. */
  readonly target:
    | { readonly url: string }
    | {
        readonly host: string;
        readonly port: number;
        readonly user: string;
        readonly password: string;
        readonly database: string;
      };
  /** The most connections that this process opens. */
  readonly poolSize: number;
  readonly connectTimeoutMs: number;
  readonly statementTimeoutMs: number;
  /** How long a statement waits for a lock of others, and an open transaction for its next statement; 0 unless told otherwise. */
  readonly lockTimeoutMs?: number;
  readonly idleInTransactionTimeoutMs?: number;
  /** Whether a pooler in transaction mode stands between: then no connection keeps anything from one transaction to the next. */
  readonly pooled?: boolean;
  /** How many may wait for a connection; further ones are refused at once. No limit unless told otherwise. */
  readonly queueSize?: number;
  /** Told of each statement that runs. */
  readonly onStatement?: (text: string) => void;
  readonly telemetry?: Telemetry;
  /** Under what the work there is counted; primary unless told otherwise. */
  readonly server?: DatabaseServer;
}

/** The target as a single connection of the driver takes it. */
export function clientOptions(target: DatabaseOptions["target"]): ClientConfig {
  return "url" in target ? { connectionString: target.url } : target;
}
