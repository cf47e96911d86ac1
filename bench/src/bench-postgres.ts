import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EmbeddedConnection } from "../../src/embedded-postgres/connection.js";
import { openEmbeddedServer } from "../../src/embedded-postgres/postgres.js";
import { Database } from "../../src/persistence/database/database.js";
import { migrateUp } from "../../src/persistence/database/migrator.js";
import { grantRuntimeRole } from "../../src/persistence/database/runtime-role.js";

/** A PostgreSQL of a benchmark's own, with our tables, in a directory that goes with it. */
export interface BenchPostgres {
  /** As a superuser, who owns the tables. */
  readonly owner: EmbeddedConnection;
  /** As the role of the service. */
  readonly runtime: EmbeddedConnection;
  close(): Promise<void>;
}

/** Starts it. The disk is not waited for: it would hide what the rest costs, and differ from machine to machine. */
export async function startBenchPostgres(): Promise<BenchPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), "user-groups-bench-"));
  const server = await openEmbeddedServer({
    dataDir,
    password: randomBytes(12).toString("hex"),
    database: "bench",
    adopt: false,
    settings: { fsync: "off", synchronous_commit: "off", shared_buffers: "512MB" },
  });
  const { connection: owner, runtimeConnection: runtime } = server;
  const close = async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await withDatabase(owner, async (database) => {
      await migrateUp(database);
      await grantRuntimeRole(database, runtime.user);
    });
  } catch (error) {
    await close();
    throw error;
  }
  return { owner, runtime, close };
}

/** Works on a database with a few connections. */
export async function withDatabase<Result>(
  target: EmbeddedConnection,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = await connect(target, 2);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** Connects as the service does. */
export function connect(target: EmbeddedConnection, poolSize: number): Promise<Database> {
  return Database.connect({ target, poolSize, connectTimeoutMs: 10_000, statementTimeoutMs: 0 });
}
