import { execFile } from "node:child_process";
import { readFile, rm, stat } from "node:fs/promises";
import { platform } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { errorCode } from "../domain/shared/system-error-code.js";
import { ifPresent } from "./if-present.js";

/** A running PostgreSQL server, according to the cluster's postmaster.pid. */
export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  /** Empty for a moment while the server starts. */
  readonly socketDir: string;
  readonly status: "starting" | "ready" | "stopping";
}

/** Finds the server that runs on the cluster, started by any process; undefined when there is none. */
export async function findRunningServer(clusterDir: string): Promise<RunningServer | undefined> {
  const content = await readPidFile(clusterDir);
  if (content === undefined) return undefined;
  const server = parse(content);
  return (await isServerOf(server.pid, clusterDir)) ? server : undefined;
}

/**
 * Removes a postmaster.pid whose process ID now belongs to another program, which PostgreSQL would mistake for a running server. If the
 * process is dead, PostgreSQL handles the file itself.
 */
export async function removeForeignPidFile(clusterDir: string): Promise<void> {
  const content = await readPidFile(clusterDir);
  if (content === undefined) return;
  const { pid } = parse(content);
  if (!isAlive(pid) || (await isServerOf(pid, clusterDir))) return;
  if ((await readPidFile(clusterDir)) === content) await rm(pidFile(clusterDir), { force: true });
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === "EPERM";
  }
}

function pidFile(clusterDir: string): string {
  return join(clusterDir, "postmaster.pid");
}

function readPidFile(clusterDir: string): Promise<string | undefined> {
  return ifPresent(readFile(pidFile(clusterDir), "utf8"));
}

function parse(content: string): RunningServer {
  const lines = content.split("\n").map((line) => line.trim());
  const status = lines[7];
  return {
    pid: Number.parseInt(lines[0] ?? "", 10),
    port: Number.parseInt(lines[3] ?? "", 10),
    socketDir: lines[4] ?? "",
    status: status === "ready" || status === "stopping" ? status : "starting",
  };
}

async function isServerOf(pid: number, clusterDir: string): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    return platform() === "linux" ? await worksIn(pid, clusterDir) : await wasStartedOn(pid, clusterDir);
  } catch {
    // The process exited during the check.
    return false;
  }
}

/** A server's working directory is its cluster. */
async function worksIn(pid: number, clusterDir: string): Promise<boolean> {
  const cluster = await stat(clusterDir);
  if ((await stat(`/proc/${pid}`)).uid !== cluster.uid) return false;
  if ((await readFile(`/proc/${pid}/comm`, "utf8")).trim() !== "postgres") return false;
  try {
    const directory = await stat(`/proc/${pid}/cwd`);
    return directory.dev === cluster.dev && directory.ino === cluster.ino;
  } catch (error) {
    // A hardened kernel denies access: assume that it is the server rather than start a second one.
    if (errorCode(error) === "EACCES") return true;
    throw error;
  }
}

async function wasStartedOn(pid: number, clusterDir: string): Promise<boolean> {
  const { stdout } = await promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", String(pid)]);
  return stdout.includes("postgres") && stdout.includes(`-D ${clusterDir} `);
}
