import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type ClientConfig } from "pg";
import { freePort } from "../programs/free-port.js";
import { startGuarded } from "../programs/guarded-program.js";

const INSTALLED = "/usr/lib/postgresql";

/** The directory of the newest complete PostgreSQL installation that we can run; undefined if there is none. */
export const systemPostgres = findPrograms();

/** A new, empty server of the installed PostgreSQL. */
export interface SystemPostgres {
  /** "host:port". */
  readonly address: string;
  /** A URL for one of its roles and databases. */
  url(user: string, password: string, database: string): string;
  /** As the superuser `postgres`. */
  readonly password: string;
  close(): Promise<void>;
}

export async function startSystemPostgres(programs: string): Promise<SystemPostgres> {
  const folder = await mkdtemp(join(tmpdir(), "ug-system-postgres-"));
  const [data, passwordFile] = [join(folder, "data"), join(folder, "password")];
  const password = "superuser";
  await writeFile(passwordFile, password);
  const account = serverAccount();
  if (account) for (const path of [folder, passwordFile]) await chown(path, account.uid, account.gid);
  await chmod(folder, 0o700);
  const options = ["-D", data, "-U", "postgres", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  const { status, stderr } = spawnSync(join(programs, "initdb"), [...options, "-E", "UTF8", "--no-sync"], {
    cwd: "/",
    encoding: "utf8",
    ...account,
  });
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`);
  const port = await freePort();
  const settings = [
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    "fsync=off",
    "log_min_messages=fatal",
  ];
  const start = [join(programs, "postgres"), "-D", data, "-p", String(port)];
  const become = account
    ? ["setpriv", `--reuid=${account.uid}`, `--regid=${account.gid}`, "--clear-groups"]
    : [];
  const command = ["-C", "/", ...become, ...start, ...settings.flatMap((setting) => ["-c", setting])];
  const program = await startGuarded("env", command, port);
  const address = `127.0.0.1:${port}`;
  const url: SystemPostgres["url"] = (user, secret, database) =>
    `postgres://${user}:${secret}@${address}/${database}`;
  await untilReady(url("postgres", password, "postgres"));
  return {
    address,
    password,
    url,
    async close() {
      await program.end();
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

/** Runs a statement over a connection of its own. */
export async function queryOnce(
  server: string | ClientConfig,
  statement: string,
): Promise<ReturnType<typeof JSON.parse>[]> {
  const client = new Client(server);
  // A crash of the server fails the query, too.
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

/** A server answers on its port before it has recovered from a crash. */
export async function untilReady(url: string): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await queryOnce(url, "SELECT 1");
      return;
    } catch (error) {
      if (attempt === 1000) throw error;
      await sleep(50);
    }
  }
}

function findPrograms(): string | undefined {
  if (!existsSync(INSTALLED)) return undefined;
  if (process.getuid?.() === 0 && serverAccount() === undefined) return undefined;
  return readdirSync(INSTALLED)
    .sort((one, other) => Number(other) - Number(one))
    .map((version) => join(INSTALLED, version, "bin"))
    .find((bin) =>
      ["initdb", "postgres", "pg_dump", "pg_restore", "psql"].every((name) => existsSync(join(bin, name))),
    );
}

/** The account that PostgreSQL runs as when we are root, since it refuses to run as root. */
export function serverAccount(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = ["-u", "-g"].map((option) =>
    Number.parseInt(spawnSync("id", [option, "postgres"], { encoding: "utf8" }).stdout, 10),
  );
  return uid && gid ? { uid, gid } : undefined;
}
