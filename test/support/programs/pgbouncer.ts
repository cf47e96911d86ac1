import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import type { DatabaseOptions } from "../../../src/persistence/shared/database-options.js";
import { type DatabaseParts, partsOf } from "../postgres/database-parts.js";
import { freePort } from "./free-port.js";

const { stdout: version = "", status } = spawnSync("pgbouncer", ["--version"], { encoding: "utf8" });
export const hasPgbouncer = status === 0;
/** Since 1.21. */
export const pgbouncerPrepares = /\b1\.(2[1-9]|[3-9]\d)\.|\b[2-9]\.\d/.test(version?.split("\n")[0] ?? "");

export interface Pgbouncer {
  /** The database, through the pooler. */
  readonly target: DatabaseOptions["target"];
  /** Ends it with a signal. */
  end(signal: "SIGINT" | "SIGTERM" | "SIGKILL"): Promise<void>;
  /** Starts it again at the same address. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts a PgBouncer in transaction mode with few connections in front of a database.
 * @param maxPrepared prepared statements that it keeps, if it can
 */
export async function startPgbouncer(
  target: DatabaseOptions["target"],
  poolSize: number,
  maxPrepared = 0,
): Promise<Pgbouncer> {
  const { host, port, user, password, database } = partsOf(target);
  const folder = await mkdtemp(join(tmpdir(), "ug-pgbouncer-"));
  await chmod(folder, 0o755);
  const listenPort = await freePort();
  const owner = await ownerOf(host);
  await writeFile(join(folder, "users.txt"), `"${user}" "${password}"\n`);
  await writeFile(
    join(folder, "pgbouncer.ini"),
    `[databases]
${database} = host=${host} port=${port} dbname=${database} user=${user} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, "users.txt")}
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 500
server_login_retry = 1
${pgbouncerPrepares ? `max_prepared_statements = ${maxPrepared}` : ""}
${owner === null ? "" : `user = ${owner}`}
`,
  );
  const pooled = { host: "127.0.0.1", port: listenPort, user, password, database };
  let running = await launch(join(folder, "pgbouncer.ini"), pooled);
  return {
    target: pooled,
    end: (signal) => running.end(signal),
    async start() {
      running = await launch(join(folder, "pgbouncer.ini"), pooled);
    },
    async close() {
      await running.end("SIGINT");
      await rm(folder, { recursive: true });
    },
  };
}

async function launch(settings: string, pooled: DatabaseParts) {
  const process = spawn("pgbouncer", [settings], { stdio: ["ignore", "ignore", "pipe"] });
  let log = "";
  process.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const ended = once(process, "exit");
  for (let attempt = 0; !(await answers(pooled)); attempt += 1) {
    if (attempt === 100 || process.exitCode !== null) throw new Error(`PgBouncer does not answer: ${log}`);
    await sleep(50);
  }
  return {
    async end(signal: NodeJS.Signals): Promise<void> {
      process.kill(signal);
      await ended;
    },
  };
}

/** An account that can use a Unix socket's directory; null for ourselves. PgBouncer refuses to run as root. */
async function ownerOf(host: string): Promise<string | null> {
  if (process.getuid?.() !== 0) return null;
  const uid = host.startsWith("/") ? (await stat(host)).uid : 65534;
  const { stdout } = spawnSync("id", ["-nu", String(uid)], { encoding: "utf8" });
  return stdout.trim();
}

async function answers(target: DatabaseParts): Promise<boolean> {
  const client = new Client(target);
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("SELECT 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
