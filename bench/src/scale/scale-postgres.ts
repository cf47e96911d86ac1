import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Client, escapeIdentifier } from "pg";
import { openEmbeddedServer } from "../../../src/embedded-postgres/postgres.js";
import { type BenchDatabase, urlOf } from "../compare/database.js";

/** One PostgreSQL with a database for each size. */
export interface ScalePostgres {
  /** Makes a database; `close` of it closes the connection only. */
  create(name: string): Promise<BenchDatabase>;
  /** As the superuser, in none of those databases. */
  run(text: string): Promise<void>;
  close(): Promise<void>;
}

/** What the server's log has before each entry: the database and the process. */
export const LOG_PREFIX = "%d|%p|";

/**
 * Starts the PostgreSQL that our service brings along, on an empty directory, with all settings as they are by default.
 * @param onLog takes each line of its log
 */
export async function startScalePostgres(
  directory: string,
  onLog: (line: string) => void,
): Promise<ScalePostgres> {
  const server = await openEmbeddedServer({
    dataDir: join(directory, "database"),
    password: randomBytes(16).toString("hex"),
    database: "scale",
    adopt: false,
    onLog,
    settings: { log_line_prefix: LOG_PREFIX },
  });
  const client = new Client(server.connection);
  await client.connect();
  const { rows } = await client.query<{ pid: string }>(
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
  );
  return {
    async create(name) {
      await client.query(`CREATE DATABASE ${escapeIdentifier(name)}`);
      const owner = { ...server.connection, database: name };
      const own = new Client(owner);
      await own.connect();
      return {
        owner,
        ownerUrl: urlOf(owner),
        runtimeUrl: urlOf({ ...server.runtimeConnection, database: name }),
        pid: Number(rows[0]?.pid),
        query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
          (await own.query<Row>(text, [...values])).rows,
        close: () => own.end(),
      };
    },
    run: async (text) => void (await client.query(text)),
    async close() {
      await client.end();
      await server.stop();
    },
  };
}
