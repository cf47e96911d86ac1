import { type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { OperatorError } from "../domain/shared/operator-error.js";
import {
  type EmbeddedConnection,
  embeddedRuntimeUser,
  embeddedUser,
  prepareDatabase,
  probe,
} from "./connection.js";
import { ifPresent, takeLock } from "./files.js";
import {
  findBinariesPackage,
  type Installation,
  prepareInstallation,
  removeWorkspace,
} from "./installation.js";

/** A server that accepts connections. */
export interface ServerProcess {
  /** Resolves with the last line of the log when the server has exited for any reason. */
  readonly ended: Promise<string>;
  /** Stops the server and removes its workspace. */
  stop(): Promise<void>;
}

type OnLog = ((line: string) => void) | undefined;

const DRAFT_PREFIX = "postgres.init-";
// Inherit no environment: PGDATA, PGOPTIONS or a locale would change the server's behaviour.
const ENVIRONMENT = { PATH: "/usr/bin:/bin:/usr/sbin:/sbin", LC_ALL: "C" };
const MAX_LOG_LINES = 100;
// Crash recovery of a large database may take long.
const START_TIMEOUT_S = "120";

// Reads until the service closes the pipe or dies. Stops only the server of this service, whose socket is in the workspace.
const GUARD = `
trap '' HUP INT TERM
read -r _
for mode in fast immediate; do
  if grep -qsxF "$2" postmaster.pid; then "$0" stop -D "$1" -m "$mode" -t 30; fi
done
rm -rf "$2"
`;

/** Returns whether the directory has a cluster. @throws OperatorError when it has other files */
async function hasCluster(clusterDir: string): Promise<boolean> {
  const entries = (await ifPresent(readdir(clusterDir))) ?? [];
  if (entries.length === 0 || entries.includes("PG_VERSION")) return entries.length > 0;
  throw new OperatorError(
    `${clusterDir} is not a PostgreSQL data directory. Move it, or set another DATA_DIR.`,
  );
}

/**
 * Creates a cluster in a draft directory next to `clusterDir` and renames it: a killed process leaves no incomplete cluster.
 * @throws OperatorError when initdb fails
 */
async function createCluster(
  { programs, account }: Installation,
  clusterDir: string,
  password: string,
  onLog: OnLog,
): Promise<void> {
  const dataDir = dirname(clusterDir);
  const removeDrafts = async () => {
    for (const name of (await readdir(dataDir)).filter((entry) => entry.startsWith(DRAFT_PREFIX)))
      await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 5 });
  };
  await removeDrafts();
  const draft = await mkdtemp(join(dataDir, DRAFT_PREFIX));
  const [data, passwordFile] = [join(draft, "data"), join(draft, "password")];
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (account !== undefined)
    for (const path of [data, passwordFile, draft]) await chown(path, account.uid, account.gid);
  const initdb = runProgram(
    join(programs, "initdb"),
    [
      ...["-D", directoryArgument(data), "--username", embeddedUser],
      ...["--pwfile", "../password", "--auth=scram-sha-256", "--no-instructions"],
      ...["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"],
    ],
    { ...account, cwd: data },
    onLog,
  );
  const exitCode = await initdb.exitCode;
  await initdb.closed;
  if (exitCode === 0) await rename(data, clusterDir);
  await removeDrafts();
  if (exitCode === 0) return;
  throw new OperatorError(
    `The embedded PostgreSQL server could not create its data directory in ${dataDir}: ${explain(initdb.lines)}`,
  );
}

/**
 * Starts a server with its socket in the workspace, and a guard that stops it when this process ends, even if it is killed.
 * @returns undefined while processes of a killed server still use the cluster
 * @throws OperatorError with the server's error message when it does not start
 */
export async function startServer(
  { programs, account, workspace }: Installation,
  clusterDir: string,
  settings: Readonly<Record<string, string>>,
  onLog: OnLog,
): Promise<ServerProcess | undefined> {
  const place = { ...account, cwd: clusterDir, env: ENVIRONMENT };
  const directory = directoryArgument(clusterDir);
  const pgCtl = join(programs, "pg_ctl");
  const guard = spawn("/bin/sh", ["-c", GUARD, pgCtl, directory, workspace], {
    ...place,
    // Signals of the terminal do not reach it.
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.stdin.on("error", () => undefined);
  const guardExit = once(guard, "exit");
  await once(guard, "spawn");
  const options = Object.entries({
    listen_addresses: "",
    unix_socket_directories: workspace,
    unix_socket_permissions: "0700",
    ...settings,
  }).map(([name, value]) => `-c ${name}='${value.replaceAll("'", String.raw`'\''`)}'`);
  // The server inherits the output of pg_ctl for its log.
  const args = ["start", "-s", "-w", "-t", START_TIMEOUT_S, "-D", directory, "-o", options.join(" ")];
  const server = runProgram(pgCtl, args, place, onLog);
  const stop = async () => {
    guard.stdin.end();
    await guardExit;
    // A guard that was killed has not stopped the server.
    if (guard.signalCode === null) await server.closed;
  };
  if ((await server.exitCode) === 0)
    return { ended: server.closed.then(() => server.lines.at(-1) ?? "no log"), stop };
  await stop();
  if (server.lines.some((line) => /FATAL: .*shared memory block .* is still in use/.test(line)))
    return undefined;
  throw new OperatorError(`The embedded PostgreSQL server did not start: ${explain(server.lines)}`);
}

/** Stops the server that a killed service has left running. */
async function stopLeftover({ programs, account }: Installation, clusterDir: string): Promise<void> {
  const args = ["stop", "-s", "-D", directoryArgument(clusterDir), "-m", "fast"];
  // If it fails, so does the next start, with the reason.
  await runProgram(join(programs, "pg_ctl"), args, { ...account, cwd: clusterDir }, undefined).exitCode;
}

/** Returns the address of the server in postmaster.pid, which may have crashed. */
async function findServer(clusterDir: string): Promise<{ host: string; port: number } | undefined> {
  const lines = (await ifPresent(readFile(join(clusterDir, "postmaster.pid"), "utf8")))?.split("\n");
  const [port, host] = lines?.slice(3, 5) ?? [];
  return port && host ? { host, port: Number(port) } : undefined;
}

/**
 * Returns the argument -D of a program whose working directory is `directory`. On Linux it needs no search permission on the parent
 * directories, which another account may lack.
 */
function directoryArgument(directory: string): string {
  return process.platform === "linux" ? "/proc/self/cwd" : directory;
}

function runProgram(
  command: string,
  args: readonly string[],
  options: Pick<SpawnOptions, "uid" | "gid" | "cwd">,
  onLog: OnLog,
) {
  const child = spawn(command, args, { ...options, env: ENVIRONMENT, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on("line", (line) => {
      if (lines.push(line) > MAX_LOG_LINES) lines.shift();
      onLog?.(line);
    });
  }
  return {
    lines,
    exitCode: once(child, "exit").then(([code]) => code),
    /** Resolves when it has exited, and every process that has inherited its output. */
    closed: new Promise<void>((resolve) => child.once("close", () => resolve())),
  };
}

/** Condenses the output of a failed program to one line: its last FATAL with the detail, else its last line. */
function explain(lines: readonly string[]): string {
  const textOf = (line: string) => line.replace(/^.*?\b(?:FATAL|PANIC|DETAIL|error):\s+/, "").trim();
  const fatal = lines.findLastIndex((line) => /\b(?:FATAL|PANIC|error): /.test(line));
  const detail = lines.slice(fatal).find((line) => fatal !== -1 && line.includes("DETAIL: "));
  const reason = textOf(lines.at(fatal) ?? "it reported no reason");
  return detail === undefined ? reason : `${reason} (${textOf(detail)})`;
}

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
