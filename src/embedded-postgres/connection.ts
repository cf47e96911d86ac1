import { Client, escapeIdentifier, escapeLiteral } from "pg";
import { errorCode, OperatorError } from "../domain/shared/operator-error.js";

/** Connection parameters of the embedded server. */
export interface EmbeddedConnection {
  /** The directory of the Unix socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** The superuser, which is the owner role. */
export const embeddedUser = "user_groups";
/** The application role. */
export const embeddedRuntimeUser = "user_groups_runtime";

const wrongPassword = new Set(["28P01", "28000"]);
const notListening = new Set(["ECONNREFUSED", "ENOENT"]);
// Connection closed, starting up or shutting down, too many connections, database not yet created.
const notReady = new Set([undefined, "ECONNRESET", "EPIPE", "57P01", "57P03", "53300", "3D000"]);

/** Creates the application role and the database if they are missing. @throws OperatorError when the server rejects the password */
export async function prepareDatabase(connection: EmbeddedConnection): Promise<void> {
  const { database, password } = connection;
  await withClient({ ...connection, database: "postgres" }, async (client) => {
    const exists = async (query: string, name: string) => (await client.query(query, [name])).rowCount !== 0;
    if (!(await exists("SELECT FROM pg_roles WHERE rolname = $1", embeddedRuntimeUser))) {
      const role = escapeIdentifier(embeddedRuntimeUser);
      await client.query(`CREATE ROLE ${role} LOGIN PASSWORD ${escapeLiteral(password)}`);
    }
    // Last: other processes connect as soon as the database exists.
    if (!(await exists("SELECT FROM pg_database WHERE datname = $1", database)))
      await client.query(`CREATE DATABASE ${escapeIdentifier(database)}`);
  });
}

/** Returns the state of a server; "gone" when nothing listens. @throws OperatorError when it rejects the password */
export async function probe(connection: EmbeddedConnection): Promise<"ready" | "busy" | "gone"> {
  try {
    await withClient(connection, async () => undefined);
    return "ready";
  } catch (error) {
    const code = errorCode(error);
    if (code !== undefined && notListening.has(code)) return "gone";
    if (notReady.has(code)) return "busy";
    throw error;
  }
}

async function withClient(
  connection: EmbeddedConnection,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const client = new Client({ ...connection, ssl: false, connectionTimeoutMillis: 10_000 });
  // An unhandled `error` event would crash this process when the server dies.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await work(client);
  } catch (error) {
    if (!wrongPassword.has(errorCode(error) ?? "")) throw error;
    throw new OperatorError(
      "The embedded PostgreSQL server rejects the password stored in DATA_DIR. Restore the original password, or set another DATA_DIR.",
      { cause: error },
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}
