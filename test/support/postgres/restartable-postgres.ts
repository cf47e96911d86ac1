import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { embeddedRuntimeUser, embeddedUser } from "../../../src/embedded-postgres/connection.js";
import { type EmbeddedServer, openEmbeddedServer } from "../../../src/embedded-postgres/postgres.js";
import type { DatabaseOptions } from "../../../src/persistence/shared/database-options.js";
import { freePort } from "../programs/free-port.js";
import { readPostmaster } from "../service/data-directory.js";
import { prepareDatabase } from "./postgres-setup.js";
import { copyCluster } from "./prepared-data-directory.js";

/** A PostgreSQL of a test with a migrated database, at the same TCP address across restarts. */
export interface RestartablePostgres {
  /** As the application role. */
  readonly target: DatabaseOptions["target"];
  /** As a superuser. */
  readonly owner: DatabaseOptions["target"];
  /** `pg_ctl stop -m immediate`: the next start recovers from the write-ahead log. */
  stopImmediately(): Promise<void>;
  start(): Promise<void>;
  /** Creates a standby, not yet started, that follows it by streaming replication; the server is stopped meanwhile. */
  createStandby(): Promise<RestartablePostgres>;
  close(): Promise<void>;
}

export async function startRestartablePostgres(): Promise<RestartablePostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), "ug-restart-"));
  const server = await useCluster(dataDir, await copyCluster(dataDir));
  await server.start();
  await prepareDatabase(server.owner, embeddedRuntimeUser);
  return server;
}

async function useCluster(
  dataDir: string,
  password: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RestartablePostgres> {
  const owner = {
    ...{ host: "127.0.0.1", port: await freePort() },
    ...{ user: embeddedUser, password, database: "restartable" },
  };
  let server: EmbeddedServer | undefined;
  const start = async () => {
    server = await openEmbeddedServer({
      ...{ dataDir, password, database: owner.database, adopt: false },
      // Written data survives the end of the server; only a power failure would lose it.
      settings: { listen_addresses: owner.host, port: String(owner.port), fsync: "off", ...settings },
    });
  };
  return {
    target: { ...owner, user: embeddedRuntimeUser },
    owner,
    start,
    async stopImmediately() {
      process.kill((await readPostmaster(dataDir)).pid, "SIGQUIT");
      await server?.ended;
      await server?.stop();
    },
    async createStandby() {
      await server?.stop();
      const copy = await mkdtemp(join(tmpdir(), "ug-standby-"));
      // Node's copy would not preserve owners.
      await promisify(execFile)("cp", ["-Rp", join(dataDir, "postgres"), copy]);
      await writeFile(join(copy, "postgres", "standby.signal"), "");
      await start();
      const { host, port, user } = owner;
      return useCluster(copy, password, {
        primary_conninfo: `host=${host} port=${port} user=${user} password=${password}`,
        wal_retrieve_retry_interval: "100ms",
        // Cancel queries that conflict with replay immediately.
        max_standby_streaming_delay: "0",
      });
    },
    async close() {
      await server?.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
