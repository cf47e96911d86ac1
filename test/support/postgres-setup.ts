import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, escapeIdentifier } from "pg";
import type { TestProject } from "vitest/node";
import { Database, type DatabaseOptions } from "../../src/persistence/database.js";
import { openEmbeddedServer } from "../../src/persistence/embedded-postgres.js";
import { migrateUp } from "../../src/persistence/migrator.js";

/** The PostgreSQL server of a test run, and the migrated database that each test file gets a copy of. */
export interface TestPostgres {
  readonly server: DatabaseOptions["target"];
  readonly template: string;
}

declare module "vitest" {
  interface ProvidedContext {
    postgres: TestPostgres;
  }
}

/** Opens the server for a run: TEST_DATABASE_URL's, or an embedded one that lives as long as the run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env["TEST_DATABASE_URL"];
  const { server, stop } =
    url === undefined ? await startEmbedded() : { server: { url }, stop: async () => undefined };
  const template = `user_groups_template_${randomBytes(4).toString("hex")}`;
  await administer(server, `CREATE DATABASE ${escapeIdentifier(template)}`);
  const database = await Database.connect({
    target: inDatabase(server, template),
    poolSize: 2,
    connectTimeoutMs: 10_000,
    statementTimeoutMs: 0,
  });
  await migrateUp(database);
  await database.close();
  project.provide("postgres", { server, template });
  return async () => {
    await administer(server, `DROP DATABASE ${escapeIdentifier(template)}`);
    await stop();
  };
}

/** The same server, another database of it. */
export function inDatabase(server: DatabaseOptions["target"], database: string): DatabaseOptions["target"] {
  if (!("url" in server)) return { ...server, database };
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  return { url: url.href };
}

/** Runs one statement on the server's own database. */
export async function administer(server: DatabaseOptions["target"], statement: string): Promise<void> {
  const client = new Client("url" in server ? server.url : server);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function startEmbedded() {
  const dataDir = await mkdtemp(join(tmpdir(), "user-groups-test-"));
  const server = await openEmbeddedServer({
    dataDir,
    password: randomBytes(12).toString("hex"),
    database: "postgres",
    adopt: false,
    // Nothing of a test run has to survive a power cut.
    settings: { fsync: "off", full_page_writes: "off", synchronous_commit: "off", max_connections: "200" },
  });
  return {
    server: server.connection,
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
