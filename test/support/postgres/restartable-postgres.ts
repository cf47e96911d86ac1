import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { embeddedRuntimeUser, embeddedUser } from "../../../src/embedded-postgres/connection.js";
import { type EmbeddedServer, openEmbeddedServer } from "../../../src/embedded-postgres/postgres.js";
import { clientOptions, type DatabaseOptions } from "../../../src/persistence/shared/database-options.js";
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
  close(): Promise<void>;
}

export async function startRestartablePostgres(): Promise<RestartablePostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), "ug-restart-"));
  const password = await copyCluster(dataDir);
  const owner = {
    ...{ host: "127.0.0.1", port: await freePort() },
    ...{ user: embeddedUser, password, database: "restartable" },
  };
  let server: EmbeddedServer | undefined;
  const start = async () => {
    server = await openEmbeddedServer({
      ...{ dataDir, password, database: owner.database, adopt: false },
      // Written data survives the end of the server; only a power failure would lose it.
      settings: { listen_addresses: owner.host, port: String(owner.port), fsync: "off" },
    });
  };
  await start();
  await prepareDatabase(owner, embeddedRuntimeUser);
  return {
    target: { ...owner, user: embeddedRuntimeUser },
    owner,
    start,
    async stopImmediately() {
      process.kill((await readPostmaster(dataDir)).pid, "SIGQUIT");
      await server?.ended;
      await server?.stop();
    },
    async close() {
      await server?.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Runs a statement as a superuser. @returns the first value of its first row */
export async function ask({ owner }: Pick<RestartablePostgres, "owner">, text: string): Promise<unknown> {
  const client = new Client(clientOptions(owner));
  await client.connect();
  try {
    const { rows } = await client.query({ text, rowMode: "array" });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}
