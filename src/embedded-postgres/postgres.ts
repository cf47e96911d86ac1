import { mkdir, realpath, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { OperatorError } from "../domain/shared/operator-error.js";
import { createCluster, hasCluster } from "./cluster.js";
import {
  type EmbeddedConnection,
  embeddedRuntimeUser,
  embeddedUser,
  prepareDatabase,
  probe,
} from "./connection.js";
import { takeLock } from "./files.js";
import { findBinariesPackage, prepareInstallation, removeWorkspace } from "./installation.js";
import { findServer, startServer, stopLeftover } from "./server-process.js";

/** A PostgreSQL server on DATA_DIR that accepts connections. */
export interface EmbeddedServer {
  /** Connection as the owner role. */
  readonly connection: EmbeddedConnection;
  /** Connection as the application role. */
  readonly runtimeConnection: EmbeddedConnection;
  /** Resolves with a description when a server that this process started exits for any reason. */
  readonly ended: Promise<string>;
  /** Stops the server if this process started it; idempotent. */
  stop(): Promise<void>;
}

interface EmbeddedServerOptions {
  /** DATA_DIR; the cluster is in its subdirectory `postgres`. */
  readonly dataDir: string;
  readonly password: string;
  /** Created when missing. */
  readonly database: string;
  /** Whether to use the server of another process that runs on this DATA_DIR. */
  readonly adopt: boolean;
  /** Called for each line of the server's log. */
  readonly onLog?: (line: string) => void;
  /** Further configuration parameters if this call starts a server. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The package with the binaries, instead of the installed one. */
  readonly binariesPackage?: string;
}

const DEFAULT_PORT = 5432;
const POLL_MS = 50;
/** Maximum wait for another service that is being stopped, and for the processes of a killed server. */
const IN_USE_TIMEOUT_MS = 5_000;
/** Maximum wait for the server of another process, which may be creating its cluster. */
const ADOPT_TIMEOUT_MS = 120_000;

/**
 * Opens the PostgreSQL server of a DATA_DIR: starts one, creating its cluster the first time, or uses the running one with `adopt`.
 * @throws OperatorError with a one-line message for every expected failure
 */
export async function openEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  try {
    await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
    return await open({ ...options, dataDir: await realpath(options.dataDir) });
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
  const { dataDir, adopt } = options;
  const lock = join(dataDir, "service.lock");
  const deadline = Date.now() + (adopt ? ADOPT_TIMEOUT_MS : IN_USE_TIMEOUT_MS);
  for (;;) {
    const holder = await takeLock(lock);
    const opened =
      holder === undefined ? await start(lock, options) : adopt ? await attach(options) : undefined;
    if (opened !== undefined) return opened;
    if (Date.now() > deadline) {
      const user =
        holder === undefined
          ? "processes of a killed server"
          : `another running service or command (process ${holder})`;
      throw new OperatorError(`DATA_DIR ${dataDir} is in use by ${user}. Stop it, or set another DATA_DIR.`);
    }
    await sleep(POLL_MS);
  }
}

/** Starts a server under the lock, which its end releases. @returns undefined while processes of a killed server use the cluster */
async function start(lock: string, options: EmbeddedServerOptions): Promise<EmbeddedServer | undefined> {
  const { dataDir, password, settings = {}, onLog } = options;
  const clusterDir = join(dataDir, "postgres");
  const closers = [() => rm(lock, { force: true })];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    const isFirstStart = !(await hasCluster(clusterDir));
    const packageDir = options.binariesPackage ?? findBinariesPackage();
    const installation = await prepareInstallation(clusterDir, packageDir);
    closers.push(() => removeWorkspace(installation));
    if (isFirstStart) await createCluster(installation, clusterDir, password, onLog);
    const leftover = await findServer(clusterDir);
    if (leftover !== undefined) {
      // The process ID of a server that no longer runs may belong to another program, which PostgreSQL would mistake for the server.
      if ((await probe(connectionTo(leftover, options))) === "gone")
        await rm(join(clusterDir, "postmaster.pid"), { force: true });
      else await stopLeftover(installation, clusterDir);
    }
    const server = await startServer(installation, clusterDir, settings, onLog);
    if (server !== undefined) {
      closers.push(server.stop);
      const port = Number(settings["port"] ?? DEFAULT_PORT);
      const connection = connectionTo({ host: installation.workspace, port }, options);
      await prepareDatabase(connection);
      let stopping: Promise<void> | undefined;
      const stop = () => {
        stopping ??= close();
        return stopping;
      };
      return { ...asBothRoles(connection), ended: server.ended, stop };
    }
    await close();
    return undefined;
  } catch (error) {
    await close();
    throw error;
  }
}

/** Connects to the server of another process; undefined while it is not ready. */
async function attach(options: EmbeddedServerOptions): Promise<EmbeddedServer | undefined> {
  const address = await findServer(join(options.dataDir, "postgres"));
  if (address === undefined) return undefined;
  const connection = connectionTo(address, options);
  if ((await probe(connection)) !== "ready") return undefined;
  return { ...asBothRoles(connection), ended: new Promise(() => undefined), stop: async () => undefined };
}

function connectionTo(
  address: { readonly host: string; readonly port: number },
  { password, database }: EmbeddedServerOptions,
): EmbeddedConnection {
  return { ...address, user: embeddedUser, password, database };
}

function asBothRoles(connection: EmbeddedConnection) {
  return { connection, runtimeConnection: { ...connection, user: embeddedRuntimeUser } };
}
