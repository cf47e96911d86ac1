import { randomBytes } from "node:crypto";
import { appendFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { escapeIdentifier, escapeLiteral } from "pg";
import type { TestProject } from "vitest/node";
import { openEmbeddedServer } from "../../../src/embedded-postgres/postgres.js";
import { Database } from "../../../src/persistence/database/database.js";
import { migrateUp } from "../../../src/persistence/database/migrator.js";
import { grantRuntimeRole } from "../../../src/persistence/database/runtime-role.js";
import { type DatabaseOptions } from "../../../src/persistence/shared/database-options.js";
import { citusPrograms, distribute, startCitus } from "../citus/cluster.js";
import { logPath, WHOLE_RUN, writeSecret } from "../secrets/run-record.js";
import { expectNoSecrets, searchRun } from "../secrets/stored-secrets.js";
import { copyCluster } from "./prepared-data-directory.js";
import { queryOnce } from "./system-postgres.js";

/** The PostgreSQL server of a test run, and the migrated database that each test file copies. */
export interface TestPostgres {
  /** As a superuser, who owns the tables. */
  readonly server: DatabaseOptions["target"];
  /** With TEST_CITUS, the workers of the coordinator `server`; each database is also one of theirs. */
  readonly workers: readonly DatabaseOptions["target"][];
  readonly template: string;
  /** The option of CREATE DATABASE that copies its files, in half the time of copying pages through the write-ahead log. */
  readonly strategy: string;
  /** The application role. */
  readonly runtime: { readonly user: string; readonly password: string };
  /** The directory of the run's records (run-record.ts). */
  readonly record: string;
}

declare module "vitest" {
  interface ProvidedContext {
    postgres: TestPostgres;
    /** Whether the service's optimisations are on: TEST_SPEED=off turns them off. */
    isFast: boolean;
  }
}

/**
 * Opens the server for a run: TEST_DATABASE_URL's, a Citus cluster with TEST_CITUS=on, or an embedded one, which live as long as the run.
 * @returns a function that stops it and fails the run if a secret was logged or stored
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env["TEST_DATABASE_URL"];
  const record = await mkdtemp(join(tmpdir(), "user-groups-run-"));
  const { server, dataDir, workers, prepareTemplate, stop } = await openServer(url, record);
  const template = `user_groups_template_${randomBytes(4).toString("hex")}`;
  const administerAll = async (statement: string) => {
    for (const node of [server, ...workers]) await administer(node, statement);
  };
  await administerAll(`CREATE DATABASE ${escapeIdentifier(template)}`);
  const runtime = { user: `${template}_runtime`, password: randomBytes(12).toString("hex") };
  const role = escapeIdentifier(runtime.user);
  await administerAll(`CREATE ROLE ${role} LOGIN PASSWORD ${escapeLiteral(runtime.password)}`);
  project.provide("isFast", process.env["TEST_SPEED"] !== "off");
  await prepareTemplate(template, runtime.user);
  for (const [of, password] of [
    ["server", passwordOf(server)],
    ["runtime role", runtime.password],
  ] as const) {
    writeSecret(record, WHOLE_RUN, { name: `the password of the ${of}`, value: Buffer.from(password) });
  }
  const [{ version }] = await administer(
    server,
    "SELECT current_setting('server_version_num')::integer AS version",
  );
  // PostgreSQL 14 has no such option, and always copies files.
  const strategy = version < 150_000 ? "" : "STRATEGY FILE_COPY";
  project.provide("postgres", { server, workers, template, strategy, runtime, record });
  return async () => {
    try {
      const findings = await searchRun(record, [inDatabase(server, template)], dataDir);
      expectNoSecrets(findings, "what the run has logged or stored");
    } catch (error) {
      // Vitest reports errors here without failing the run.
      process.exitCode = 1;
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    }
    // With its copies: a file whose tests are all skipped does not drop its database.
    const databases = `SELECT datname AS name FROM pg_database WHERE starts_with(datname, ${escapeLiteral(template)})`;
    for (const node of [server, ...workers]) {
      for (const { name } of await administer(node, databases))
        await administer(node, `DROP DATABASE ${escapeIdentifier(name)} WITH (FORCE)`);
      await administer(node, `DROP ROLE ${role}`);
    }
    await stop();
    await rm(record, { recursive: true });
  };
}

/** The servers of a run. */
interface RunServers extends Pick<TestPostgres, "server" | "workers"> {
  /** The data directory, if it can be searched. */
  readonly dataDir: string | undefined;
  prepareTemplate(name: string, runtimeUser: string): Promise<void>;
  stop(): Promise<void>;
}

async function openServer(url: string | undefined, record: string): Promise<RunServers> {
  if (process.env["TEST_CITUS"] === "on") return openCitus();
  const opened =
    url === undefined
      ? await startEmbedded(record)
      : { server: { url }, dataDir: undefined, stop: async () => undefined };
  return {
    ...opened,
    workers: [],
    prepareTemplate: (name, user) => prepareDatabase(inDatabase(opened.server, name), user),
  };
}

async function openCitus(): Promise<RunServers> {
  if (citusPrograms === undefined)
    throw new Error("TEST_CITUS needs PostgreSQL 15 with Citus in CITUS_PROGRAMS.");
  const cluster = await startCitus(citusPrograms);
  const [server, ...workers] = [cluster.coordinator, ...cluster.workers].map((node) => ({
    // Any password is accepted; this one is searched for in what the run stores.
    url: node.url("postgres", `postgres:${randomBytes(12).toString("hex")}`),
  }));
  if (!server) throw new Error("There is a coordinator.");
  return {
    server,
    workers,
    dataDir: undefined,
    async prepareTemplate(name, user) {
      await cluster.connectWorkers(name);
      await prepareDatabase(inDatabase(server, name), user);
      await distribute(inDatabase(server, name));
      // A template has no connections: Citus keeps some.
      await cluster.onAll("postgres", `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await cluster.onAll(
        "postgres",
        `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = '${name}'`,
      );
      await cluster.onAll("postgres", `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    },
    stop: () => cluster.close(),
  };
}

/** Migrates a database and grants the application role its rights. */
export async function prepareDatabase(owner: DatabaseOptions["target"], runtimeUser: string): Promise<void> {
  const database = await connectDatabase(owner);
  await migrateUp(database);
  await grantRuntimeRole(database, runtimeUser);
  await database.close();
}

/** Another database on the same server. */
export function inDatabase(server: DatabaseOptions["target"], database: string): DatabaseOptions["target"] {
  if (!("url" in server)) return { ...server, database };
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  return { url: url.href };
}

/** The same database as another role. */
export function asRole(
  target: DatabaseOptions["target"],
  { user, password }: TestPostgres["runtime"],
): DatabaseOptions["target"] {
  if (!("url" in target)) return { ...target, user, password };
  const url = new URL(target.url);
  url.username = user;
  url.password = password;
  return { url: url.href };
}

/** Runs one statement on the server's default database. @returns its rows */
export function administer(server: DatabaseOptions["target"], statement: string) {
  return queryOnce("url" in server ? server.url : server, statement);
}

function passwordOf(server: DatabaseOptions["target"]): string {
  return "url" in server ? decodeURIComponent(new URL(server.url).password) : server.password;
}

async function startEmbedded(record: string) {
  const dataDir = await mkdtemp(join(tmpdir(), "user-groups-test-"));
  const server = await openEmbeddedServer({
    dataDir,
    password: await copyCluster(dataDir),
    database: "postgres",
    adopt: false,
    onLog: (line) => appendFileSync(logPath(record, WHOLE_RUN), `${line}\n`),
    // Test data need not survive a power failure.
    settings: { fsync: "off", full_page_writes: "off", synchronous_commit: "off", max_connections: "200" },
  });
  return {
    server: server.connection,
    dataDir,
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Connects with few connections and without a statement timeout, as commands of operators do. */
export async function connectDatabase(target: DatabaseOptions["target"], poolSize = 2): Promise<Database> {
  return Database.connect({ target, poolSize, connectTimeoutMs: 10_000, statementTimeoutMs: 0 });
}
