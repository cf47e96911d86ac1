import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import type { DatabaseOptions } from "../../src/persistence/database-options.js";
import { chooseAccount } from "../../src/persistence/embedded-account.js";
import { findBinariesPackage, prepareBinaries } from "../../src/persistence/embedded-binaries.js";
import {
  createCluster,
  dataDirArgument,
  embeddedRuntimeUser,
  embeddedUser,
} from "../../src/persistence/embedded-cluster.js";
import { startServer } from "../../src/persistence/embedded-server-process.js";
import { createWorkspace, removeWorkspace } from "../../src/persistence/embedded-workspace.js";
import { freePort } from "./free-port.js";
import { prepareDatabase } from "./postgres-setup.js";

/** A PostgreSQL of a test's own with a migrated database, at one TCP address however often it is started. */
export interface RestartablePostgres {
  /** As the role that the service runs as. */
  readonly target: DatabaseOptions["target"];
  /** As a superuser. */
  readonly owner: DatabaseOptions["target"];
  /** `pg_ctl stop -m immediate`: what was not written yet is recovered from the log at the next start. */
  stopImmediately(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export async function startRestartablePostgres(): Promise<RestartablePostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), "ug-restart-"));
  const clusterDir = join(dataDir, "postgres");
  const account = await chooseAccount(clusterDir, undefined);
  const workspace = await createWorkspace(account);
  const { initdb, postgres } = await prepareBinaries(findBinariesPackage(), workspace, account);
  const password = "restartable";
  await createCluster({ dataDir, clusterDir, initdb, workspace, account, password, onLog: undefined });
  const address = { port: await freePort(), password, database: "restartable" };
  const owner = { ...address, host: "127.0.0.1", user: embeddedUser };
  const launch = async () => {
    const server = await startServer({
      postgres,
      clusterDir,
      workspace,
      account,
      connection: { ...owner, host: workspace },
      // A server that is ended loses nothing that it gave to the system; only a power cut would.
      settings: { listen_addresses: owner.host, fsync: "off" },
      onLog: undefined,
    });
    if (!server) throw new Error("Another server uses the cluster.");
    return server;
  };
  let server = await launch();
  await prepareDatabase(owner, embeddedRuntimeUser);
  return {
    target: { ...owner, user: embeddedRuntimeUser },
    owner,
    async stopImmediately() {
      const stop = ["stop", "-m", "immediate", "-D", dataDirArgument(clusterDir, account)];
      const options = { ...account, cwd: clusterDir, env: {} };
      await promisify(execFile)(join(dirname(postgres), "pg_ctl"), stop, options);
      await server.ended;
    },
    async start() {
      server = await launch();
    },
    async close() {
      await server.stop();
      await removeWorkspace(workspace);
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
