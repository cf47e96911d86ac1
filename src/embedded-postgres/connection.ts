import { Client, escapeIdentifier, escapeLiteral } from "pg";
import { OperatorError } from "../domain/shared/operator-error.js";
import { errorCode } from "../domain/shared/system-error-code.js";
import { embeddedRuntimeUser } from "./cluster.js";

/** Connection parameters of the embedded server. */
export interface EmbeddedConnection {
  /** The directory of the Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

// Not listening, starting up or shutting down, too many connections.
const transientErrors = new Set(["ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "57P01", "57P03", "53300"]);
const wrongPassword = new Set(["28P01", "28000"]);
// 42P04: exists already; the other two: another process is creating it concurrently.
const alreadyCreated = new Set(["42P04", "23505", "55006"]);

/**
 * Connects, and creates the database and the application role if they are missing.
 * @returns false while the server does not accept connections
 * @throws OperatorError when the server rejects the password
 */
export async function prepareDatabase(connection: EmbeddedConnection): Promise<boolean> {
  const client = new Client({
    ...connection,
    database: "postgres",
    ssl: false,
    connectionTimeoutMillis: 10_000,
  });
  // An unhandled `error` event would crash this process when the server dies.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await ensureRuntimeRole(client, connection.password);
    return await ensureDatabase(client, connection.database);
  } catch (error) {
    const code = errorCode(error);
    if (code !== undefined && wrongPassword.has(code)) {
      throw new OperatorError(
        "The embedded PostgreSQL server rejects the password stored in DATA_DIR. Restore the original password, or set another DATA_DIR.",
        { cause: error },
      );
    }
    if (code === undefined || transientErrors.has(code)) return false;
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function ensureDatabase(client: Client, database: string): Promise<boolean> {
  const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [database]);
  if (rowCount !== 0) return true;
  try {
    await client.query(`CREATE DATABASE ${escapeIdentifier(database)}`);
    return true;
  } catch (error) {
    if (alreadyCreated.has(errorCode(error) ?? "")) return false;
    throw error;
  }
}

async function ensureRuntimeRole(client: Client, password: string): Promise<void> {
  const { rowCount } = await client.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [embeddedRuntimeUser]);
  if (rowCount !== 0) return;
  const role = escapeIdentifier(embeddedRuntimeUser);
  try {
    await client.query(`CREATE ROLE ${role} LOGIN PASSWORD ${escapeLiteral(password)}`);
  } catch (error) {
    if (!alreadyCreated.has(errorCode(error) ?? "") && errorCode(error) !== "42710") throw error;
  }
}
