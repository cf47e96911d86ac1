import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { chooseAccount, type EmbeddedAccount } from "../../../src/embedded-postgres/account.js";
import { findBinariesPackage, prepareBinaries } from "../../../src/embedded-postgres/binaries.js";
import {
  dataDirArgument,
  embeddedRuntimeUser,
  embeddedUser,
} from "../../../src/embedded-postgres/cluster.js";
import type { GuardedProcess } from "../../../src/embedded-postgres/guard.js";
import { startServer } from "../../../src/embedded-postgres/server-process.js";
import { createWorkspace, removeWorkspace } from "../../../src/embedded-postgres/workspace.js";
import type { DatabaseOptions } from "../../../src/persistence/shared/database-options.js";
import { freePort } from "../programs/free-port.js";
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
  const clusterDir = join(dataDir, "postgres");
  const account = await chooseAccount(clusterDir, undefined);
  const workspace = await createWorkspace(account);
  const { postgres } = await prepareBinaries(findBinariesPackage(), workspace, account);
  const password = await copyCluster(dataDir);
  const server = await useCluster({ dataDir, workspace, account, postgres }, password);
  await server.start();
  await prepareDatabase(server.owner, embeddedRuntimeUser);
  return server;
}

/** An existing cluster and the means to start a server on it. */
interface Cluster {
  readonly dataDir: string;
  readonly workspace: string;
  readonly account: EmbeddedAccount | undefined;
  readonly postgres: string;
}

async function useCluster(
  { dataDir, workspace, account, postgres }: Cluster,
  password: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RestartablePostgres> {
  const clusterDir = join(dataDir, "postgres");
  const address = { port: await freePort(), password, database: "restartable" };
  const owner = { ...address, host: "127.0.0.1", user: embeddedUser };
  let server: GuardedProcess | undefined;
  const start = async () => {
    server = await startServer({
      postgres,
      clusterDir,
      workspace,
      account,
      connection: { ...owner, host: workspace },
      // Written data survives the end of the server; only a power failure would lose it.
      settings: { listen_addresses: owner.host, fsync: "off", ...settings },
      onLog: undefined,
    });
    if (!server) throw new Error("Another server uses the cluster.");
  };
  const stop = async (mode: "immediate" | "fast") => {
    const command = ["stop", "-m", mode, "-D", dataDirArgument(clusterDir, account)];
    const options = { ...account, cwd: clusterDir, env: {} };
    await promisify(execFile)(join(dirname(postgres), "pg_ctl"), command, options);
    await server?.ended;
  };
  return {
    target: { ...owner, user: embeddedRuntimeUser },
    owner,
    start,
    stopImmediately: () => stop("immediate"),
    async createStandby() {
      await stop("fast");
      const copy = await mkdtemp(join(tmpdir(), "ug-standby-"));
      // Node's copy would not preserve owners.
      await promisify(execFile)("cp", ["-Rp", clusterDir, copy]);
      await writeFile(join(copy, "postgres", "standby.signal"), "");
      await start();
      const { host, port, user } = owner;
      const cluster = { dataDir: copy, workspace: await createWorkspace(account), account, postgres };
      return useCluster(cluster, password, {
        primary_conninfo: `host=${host} port=${port} user=${user} password=${password}`,
        wal_retrieve_retry_interval: "100ms",
        // Cancel queries that conflict with replay immediately.
        max_standby_streaming_delay: "0",
      });
    },
    async close() {
      await server?.stop();
      await removeWorkspace(workspace);
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
