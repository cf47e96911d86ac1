import { escapeIdentifier, Pool } from "pg";
import { afterAll, inject } from "vitest";
import type { Database } from "../../../src/persistence/database/database.js";
import { migrateUp } from "../../../src/persistence/database/migrator.js";
import { clientOptions, type DatabaseOptions } from "../../../src/persistence/shared/database-options.js";
import { VALUE_PARSERS } from "../../../src/persistence/shared/value-parsers.js";
import { asRole, connectDatabase } from "./postgres-setup.js";
import { createTestDatabase } from "./test-database.js";

/** An untyped row. */
type Row = ReturnType<typeof JSON.parse>;

export interface MigrationDatabase {
  /** Migrates as an owner without superuser rights, who is subject to row-level security. */
  readonly database: Database;
  /** The address of the database for that owner. */
  readonly target: DatabaseOptions["target"];
  /** Runs a statement as a superuser. */
  query(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Applies all pending migrations. */
  up(): Promise<readonly string[]>;
}

/** Creates an empty database for a migration test file. */
export async function createMigrationDatabase(): Promise<MigrationDatabase> {
  const { runtime } = inject("postgres");
  const { owner, drop } = await createTestDatabase("empty");
  const administration = new Pool({ ...clientOptions(owner), types: VALUE_PARSERS });
  const [current] = (await administration.query("SELECT current_database() AS name")).rows;
  await administration.query(
    `ALTER DATABASE ${escapeIdentifier(current.name)} OWNER TO ${escapeIdentifier(runtime.user)}`,
  );
  const target = asRole(owner, runtime);
  const database = await connectDatabase(target);
  afterAll(async () => {
    await database.close();
    await administration.end();
    await drop();
  });
  return {
    database,
    target,
    query: async (text, values = []) => (await administration.query(text, [...values])).rows,
    up: () => migrateUp(database),
  };
}
