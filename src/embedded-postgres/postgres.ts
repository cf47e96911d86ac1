import { mkdir, realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { OperatorError } from "../domain/shared/operator-error.js";
import { chooseAccount, type EmbeddedAccount, findClusterOwner } from "./account.js";
import { findBinariesPackage, prepareBinaries } from "./binaries.js";
import { createCluster, embeddedRuntimeUser, embeddedUser } from "./cluster.js";
import { type EmbeddedConnection, prepareDatabase } from "./connection.js";
import type { GuardedProcess } from "./guard.js";
import { findRunningServer, type RunningServer, removeForeignPidFile } from "./pid-file.js";
import { startServer } from "./server-process.js";
import { createWorkspace, removeWorkspace } from "./workspace.js";

/** A PostgreSQL server on DATA_DIR that accepts connections. */
export interface EmbeddedServer {
  /** Connection as the owner role. */
  readonly connection: EmbeddedConnection;
  /** Connection as the application role. */
  readonly runtimeConnection: EmbeddedConnection;
  /** Whether this process started it. */
  readonly isOwned: boolean;
  /** Resolves with a description when a server that this process started exits for any reason. */
  readonly ended: Promise<string>;
  /** Stops the server if this process started it; idempotent. */
  stop(): Promise<void>;
}

export interface EmbeddedServerOptions {
  /** DATA_DIR; the cluster is in its subdirectory `postgres`. */
  readonly dataDir: string;
  readonly password: string;
  /** Created when missing. */
  readonly database: string;
  /** Whether to use a server that another process runs on this DATA_DIR. */
  readonly adopt: boolean;
  /** Called for each line of the server's log. */
  readonly onLog?: (line: string) => void;
  /** Further configuration parameters if this call starts a server. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The package with the binaries, instead of the installed one. */
  readonly binariesPackage?: string;
}

interface ClusterPaths {
  readonly dataDir: string;
  readonly clusterDir: string;
  readonly binariesPackage: string;
}

const port = 5432;
const pollMs = 50;

/** Maximum wait for a server of another process, by its state. */
const timeoutMs = {
  stopping: 15_000,
  starting: 120_000,
  ready: 20_000,
  // No server found any more, or one that has just started.
  none: 20_000,
  // After its owner was killed, a server is "ready" for a moment before it begins to stop.
  inUse: 2_000,
} as const;

/**
 * Opens the PostgreSQL server of a DATA_DIR: starts one, creating its cluster the first time, or uses the running one with `adopt`.
 * @throws OperatorError with a one-line message for every expected failure
 */
export async function openEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  try {
    return await open(options);
  } catch (error) {
    // A failed system call, such as a full or read-only disk or a missing permission.
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    throw new OperatorError(
      `The embedded PostgreSQL server cannot use DATA_DIR ${resolve(options.dataDir)}: ${error.message}`,
      { cause: error },
    );
  }
}

async function open(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const binariesPackage = options.binariesPackage ?? findBinariesPackage();
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  const dataDir = await realpath(options.dataDir);
  const paths = { dataDir, clusterDir: join(dataDir, "postgres"), binariesPackage };
  const start = Date.now();
  for (;;) {
    const owner = await findClusterOwner(paths.clusterDir);
    const running = await findRunningServer(paths.clusterDir);
    const server = running ? await adopt(running, options) : await startOwned(owner, paths, options);
    if (server !== undefined) return server;
    if (Date.now() - start > timeoutMs[timeoutFor(running, options)]) throw inUse(paths, running?.pid);
    await sleep(pollMs);
  }
}

async function adopt(
  running: RunningServer,
  options: EmbeddedServerOptions,
): Promise<EmbeddedServer | undefined> {
  if (!options.adopt || running.status !== "ready") return undefined;
  const connection = connectionTo(running.socketDir, running.port, options);
  if (!(await prepareDatabase(connection))) return undefined;
  return {
    ...connections(connection),
    isOwned: false,
    ended: new Promise(() => undefined),
    stop: async () => undefined,
  };
}

async function startOwned(
  owner: EmbeddedAccount | undefined,
  paths: ClusterPaths,
  options: EmbeddedServerOptions,
): Promise<EmbeddedServer | undefined> {
  const { clusterDir } = paths;
  const account = await chooseAccount(clusterDir, owner);
  const workspace = await createWorkspace(account);
  try {
    const { initdb, postgres } = await prepareBinaries(paths.binariesPackage, workspace, account);
    const { password, onLog, settings = {} } = options;
    if (owner === undefined) {
      await createCluster({
        dataDir: paths.dataDir,
        clusterDir,
        initdb,
        workspace,
        account,
        password,
        onLog,
      });
    }
    await removeForeignPidFile(clusterDir);
    const connection = connectionTo(workspace, port, options);
    const program = { postgres, clusterDir, workspace, account, connection, settings, onLog };
    const server = await startServer(program);
    if (server !== undefined) return ownedServer(server, connection, workspace);
    await removeWorkspace(workspace);
    return undefined;
  } catch (error) {
    await removeWorkspace(workspace);
    throw error;
  }
}

function ownedServer(
  server: GuardedProcess,
  connection: EmbeddedConnection,
  workspace: string,
): EmbeddedServer {
  // After a crash the workspace remains, and `stop` may never be called.
  void server.ended.then(() => removeWorkspace(workspace)).catch(() => undefined);
  return {
    ...connections(connection),
    isOwned: true,
    ended: server.ended,
    async stop() {
      await server.stop();
      await removeWorkspace(workspace);
    },
  };
}

function connections(connection: EmbeddedConnection) {
  return { connection, runtimeConnection: { ...connection, user: embeddedRuntimeUser } };
}

function connectionTo(host: string, atPort: number, options: EmbeddedServerOptions): EmbeddedConnection {
  const { password, database } = options;
  return { host, port: atPort, user: embeddedUser, password, database };
}

function timeoutFor(
  running: RunningServer | undefined,
  options: EmbeddedServerOptions,
): keyof typeof timeoutMs {
  if (running === undefined) return "none";
  return options.adopt || running.status === "stopping" ? running.status : "inUse";
}

function inUse(paths: ClusterPaths, pid: number | undefined): OperatorError {
  const by = pid === undefined ? "" : ` (PostgreSQL process ${pid})`;
  return new OperatorError(
    `DATA_DIR ${paths.dataDir} is in use by another running server${by}. Stop that server, or set another DATA_DIR.`,
  );
}
