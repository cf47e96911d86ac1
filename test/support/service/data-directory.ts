import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type EmbeddedConnection, embeddedUser } from "../../../src/embedded-postgres/connection.js";

/** Whether a test can see which processes use a directory on this machine. */
export const seesProcesses = process.platform === "linux";

const endingMs = 120_000;

/** The IDs of the processes that work in a directory or below, such as those of an embedded PostgreSQL. */
export async function processesIn(directory: string): Promise<readonly number[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id) => ({ id, cwd: await readlink(`/proc/${id}/cwd`).catch(() => "") })),
  );
  return found.filter(({ cwd }) => cwd.startsWith(`${directory}/`)).map(({ id }) => Number(id));
}

/** Waits until no process works in a directory. @returns false on timeout */
export async function waitForNoProcessIn(directory: string): Promise<boolean> {
  const deadline = Date.now() + endingMs;
  while (Date.now() < deadline) {
    if ((await processesIn(directory)).length === 0) return true;
    await sleep(20);
  }
  return false;
}

/** Ends all processes that work in a directory. */
export async function endProcessesIn(directory: string): Promise<void> {
  if (!seesProcesses || (await waitForNoProcessIn(directory))) return;
  for (const id of await processesIn(directory)) process.kill(id, "SIGKILL");
  await waitForNoProcessIn(directory);
}

/** PostgreSQL's postmaster.pid while it runs on a DATA_DIR. */
export async function readPostmaster(dataDir: string): Promise<{ pid: number; socketDir: string }> {
  const lines = (await readFile(join(dataDir, "postgres", "postmaster.pid"), "utf8")).split("\n");
  return { pid: Number(lines[0]), socketDir: lines[4] ?? "" };
}

/** The secrets that a DATA_DIR stores. */
export async function readSecrets(
  dataDir: string,
): Promise<{ databasePassword: string; encryptionKeys: string[] }> {
  return JSON.parse(await readFile(join(dataDir, "secrets.json"), "utf8"));
}

/** The connection to the PostgreSQL that runs on a DATA_DIR. */
export async function connectionTo(dataDir: string): Promise<EmbeddedConnection> {
  const { socketDir } = await readPostmaster(dataDir);
  const { databasePassword } = await readSecrets(dataDir);
  return {
    host: socketDir,
    port: 5432,
    user: embeddedUser,
    password: databasePassword,
    database: "user_groups",
  };
}
