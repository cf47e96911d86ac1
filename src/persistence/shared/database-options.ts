import type { ClientBase, ClientConfig } from "pg";
import type { Telemetry } from "../../telemetry/telemetry.js";
import { VALUE_PARSERS } from "./value-parsers.js";

/** Time after which an idle connection is closed. */
export const IDLE_MS = 10_000;

/** Makes the server close idle sessions: after a network failure it does not notice that the client has gone. */
export const CLOSE_IDLE_SESSIONS = `SET idle_session_timeout = ${2 * IDLE_MS}`;

/** Compiling a plan takes longer than running it, also where its costliest part is rarely run. */
const WITHOUT_JIT = "jit = off";

/**
 * Names the connections of a process, with the number of the rules by which it writes: 2 since it checks properties against the schema of their
 * environment. Processes of former versions use the first part alone.
 */
export const APPLICATION_NAME = "user-groups/2";

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
  /** Whether a transaction-mode pooler is used, which keeps no session state; `prepared` if it keeps prepared statements. */
  readonly pooled?: boolean | "prepared";
  /** Whether former values of user groups are kept, as by default. */
  readonly keepsHistory?: boolean;
  /** Maximum number of callers waiting for a connection; further ones are rejected. Unlimited by default. */
  readonly queueSize?: number;
  /** Called for each statement that is sent. */
  readonly onStatement?: (text: string) => void;
  readonly telemetry?: Telemetry;
}

/** Minimum pool size for a shared lookup connection. */
const MIN_POOL_SIZE = 4;

/** Returns whether one of the pool's connections is shared by lookups. */
export function sharesLookups({ poolSize, pooled = false }: DatabaseOptions): boolean {
  // A transaction-mode pooler may give the connection to another client between two transactions that were sent at once.
  return poolSize >= MIN_POOL_SIZE && !pooled;
}

/** Converts a target to options of the driver's `Client`. */
export function clientOptions(target: DatabaseOptions["target"]): ClientConfig {
  return "url" in target ? { connectionString: target.url } : target;
}

/** Driver options of all connections that run statements: timeouts, value parsers, pipeline mode. */
export function connectionSettings(options: DatabaseOptions) {
  const { statementTimeoutMs, lockTimeoutMs = 0, idleInTransactionTimeoutMs = 0, connectTimeoutMs } = options;
  return {
    application_name: APPLICATION_NAME,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    pipeline: true,
    types: VALUE_PARSERS,
    // The server's statement_timeout does not help when the server no longer responds.
    ...(statementTimeoutMs > 0 ? { query_timeout: statementTimeoutMs + 1000 } : {}),
    // A transaction-mode pooler keeps no session settings.
    ...(options.pooled
      ? {}
      : {
          statement_timeout: statementTimeoutMs,
          lock_timeout: lockTimeoutMs,
          idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
          onConnect: (client: ClientBase) => {
            const setUp = {
              text: `${CLOSE_IDLE_SESSIONS}; SET ${WITHOUT_JIT}; SET ${historySetting(options)}`,
              query_timeout: connectTimeoutMs,
            };
            return client.query(setUp);
          },
        }),
  };
}

/** Returns statements that set the timeouts for one transaction, for use behind a transaction-mode pooler. */
export function localSettings(options: DatabaseOptions): readonly string[] {
  const { statementTimeoutMs, lockTimeoutMs = 0, idleInTransactionTimeoutMs = 0 } = options;
  return [
    `SET LOCAL ${WITHOUT_JIT}`,
    `SET LOCAL ${historySetting(options)}`,
    `SET LOCAL statement_timeout = ${statementTimeoutMs}`,
    `SET LOCAL lock_timeout = ${lockTimeoutMs}`,
    `SET LOCAL idle_in_transaction_session_timeout = ${idleInTransactionTimeoutMs}`,
  ];
}

/** Read by statements that change user groups. */
function historySetting({ keepsHistory = true }: DatabaseOptions): string {
  return `app.group_history = ${keepsHistory ? "on" : "off"}`;
}
