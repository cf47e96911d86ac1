import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Client, escapeIdentifier } from "pg";
import type { EmbeddedConnection } from "../../src/embedded-postgres/connection.js";
import { openEmbeddedServer } from "../../src/embedded-postgres/postgres.js";
import { Database } from "../../src/persistence/database/database.js";
import { migrateUp } from "../../src/persistence/database/migrator.js";
import { grantRuntimeRole } from "../../src/persistence/database/runtime-role.js";
import { VALUE_PARSERS } from "../../src/persistence/shared/value-parsers.js";
import type { Workplace } from "./workplace.js";

/** A migrated database. */
export interface BenchDatabase {
  /** As the owner role, a superuser. */
  readonly owner: EmbeddedConnection;
  /** As the application role, which is subject to row-level security. */
  readonly runtime: EmbeddedConnection;
  readonly runtimeUrl: string;
  /** The postmasters' process IDs. */
  readonly pids: readonly number[];
  /** Runs a statement as the owner. */
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface BenchPostgres {
  create(name: string): Promise<BenchDatabase>;
}

/** Excludes disk latency, which would hide other costs and differs between machines. */
export const WITHOUT_DISK = { fsync: "off", synchronous_commit: "off", shared_buffers: "512MB" };

/** Reads the postmaster's process ID. */
export const POSTMASTER = `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer AS pid`;

/** Starts the service's embedded PostgreSQL in an empty directory until the end of the run. */
export async function startPostgres(
  place: Workplace,
  settings: Readonly<Record<string, string>>,
): Promise<BenchPostgres> {
  const { directory, onClose } = place;
  const server = await openEmbeddedServer({
    dataDir: join(directory, "database"),
    password: randomBytes(16).toString("hex"),
    database: "bench",
    adopt: false,
    settings,
  });
  onClose(() => server.stop());
  return {
    async create(name) {
      const first = await connect(server.connection, 1);
      await first.orm.query(`CREATE DATABASE ${escapeIdentifier(name)}`);
      await first.close();
      const [owner, runtime] = [server.connection, server.runtimeConnection];
      return openDatabase({ ...owner, database: name }, { ...runtime, database: name }, place);
    },
  };
}

/** Migrates an empty database. */
export async function openDatabase(
  owner: EmbeddedConnection,
  runtime: EmbeddedConnection,
  { onClose }: Workplace,
): Promise<BenchDatabase> {
  await migrate(owner, runtime.user);
  const client = new Client({ ...owner, types: VALUE_PARSERS });
  await client.connect();
  onClose(() => client.end());
  const { rows } = await client.query(POSTMASTER);
  return {
    ...{ owner, runtime, runtimeUrl: urlOf(runtime), pids: [Number(rows[0].pid)] },
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await client.query<Row>(text, [...values])).rows,
  };
}

/** Connects as the service does. */
export function connect(target: EmbeddedConnection, poolSize: number): Promise<Database> {
  return Database.connect({ target, poolSize, connectTimeoutMs: 10_000, statementTimeoutMs: 0 });
}

async function migrate(owner: EmbeddedConnection, runtimeUser: string): Promise<void> {
  const database = await connect(owner, 2);
  try {
    await migrateUp(database);
    await grantRuntimeRole(database, runtimeUser);
  } finally {
    await database.close();
  }
}

function urlOf({ user, password, database, host, port }: EmbeddedConnection): string {
  return `postgres://${user}:${password}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}
