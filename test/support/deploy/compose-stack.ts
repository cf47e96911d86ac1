import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { partsOf } from "../postgres/database-parts.js";
import { ask } from "../postgres/replicated-postgres.js";
import { type RestartablePostgres, startRestartablePostgres } from "../postgres/restartable-postgres.js";
import { freePort } from "../programs/free-port.js";
import { type GuardedProgram, startGuarded } from "../programs/guarded-program.js";
import type { RunningService, TestProcesses } from "../service/running-process.js";
import { type ComposeService, readCompose, readEnvFile } from "./compose-file.js";

const run = promisify(execFile);

/** The services of compose.yaml, run from local programs with its settings and files at other addresses. */
export interface ComposeStack {
  readonly url: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly redisUrl: string;
  /** The database without PgBouncer, as the application role. */
  readonly databaseUrl: string;
  readonly services: Readonly<Record<"service-1" | "service-2", RunningService>>;
  /** Runs a CLI command as `docker compose run service-1` does. */
  command(...args: readonly string[]): ReturnType<TestProcesses["run"]>;
  /** Runs a statement as the owner role. */
  ask(text: string): Promise<unknown>;
  close(): Promise<void>;
}

export async function startComposeStack(processes: TestProcesses): Promise<ComposeStack> {
  const folder = await mkdtemp(join(tmpdir(), "ug-compose-"));
  await cp(fileURLToPath(new URL("../../../deploy/compose", import.meta.url)), folder, { recursive: true });
  await rm(join(folder, ".env"), { force: true });
  await run("chmod", ["a+rx", folder]);
  await run(join(folder, "make-secrets.sh"));
  const secrets = readEnvFile(join(folder, ".env"));
  const compose = readCompose(join(folder, "compose.yaml"), secrets);
  const postgres = await startRestartablePostgres();
  const database = await prepareServer(postgres, folder, compose, secrets);
  const [pgbouncer, redis, front, one, two] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const { port } = partsOf(postgres.owner);
  const toLocal = (text: string) =>
    text
      .replace("@pgbouncer:6432", `@127.0.0.1:${pgbouncer}`)
      .replace("@postgres:5432", `@127.0.0.1:${port}`)
      .replace("host=postgres port=5432", `host=127.0.0.1 port=${port}`)
      .replace("listen_addr=* listen_port=6432", `listen_addr=127.0.0.1 listen_port=${pgbouncer}`)
      .replace("@redis:6379", `@127.0.0.1:${redis}`)
      .replace("service-1:4000", `127.0.0.1:${one}`)
      .replace("service-2:4000", `127.0.0.1:${two}`)
      .replace("172.29.71.0/24", "127.0.0.1")
      .replace(/^:8080$/, `127.0.0.1:${front}`);
  const environmentOf = (name: string) =>
    Object.fromEntries(
      Object.entries(compose[name]?.environment ?? {}).map(([key, value]) => [key, toLocal(value)]),
    );
  const programs: GuardedProgram[] = [];
  const start = async (name: string, port: number, command: readonly string[]) => {
    const env = Object.entries(environmentOf(name)).map(([key, value]) => `${key}=${value}`);
    programs.push(await startGuarded("env", [...env, ...command], port));
  };
  await start("pgbouncer", pgbouncer, ["sh", join(folder, "pgbouncer.sh")]);
  const [shell = "", option = "", script = ""] = compose["redis"]?.command ?? [];
  await start("redis", redis, [shell, option, `${script} --port ${redis} --bind 127.0.0.1`]);
  const { code, stderr } = await processes.run(["migrate", "up"], { env: environmentOf("migrate") });
  if (code !== 0) throw new Error(`migrate up failed: ${stderr}`);
  const serve = (name: "service-1" | "service-2") =>
    processes.serve({ env: { ...environmentOf(name), PORT: String(name === "service-1" ? one : two) } });
  const services = { "service-1": await serve("service-1"), "service-2": await serve("service-2") };
  await start("haproxy", front, ["haproxy", "-q", "-db", "-f", join(folder, "haproxy.cfg")]);
  return {
    url: `http://127.0.0.1:${front}`,
    secrets,
    redisUrl: environmentOf("service-1")["REDIS_URL"] ?? "",
    databaseUrl: environmentOf("service-1")["DATABASE_LISTEN_URL"] ?? "",
    services,
    command: (...args) => processes.run(args, { env: environmentOf("service-1") }),
    ask: (text) => ask({ owner: database }, text),
    async close() {
      for (const program of programs.toReversed()) await program.end();
      await postgres.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** Initialises a database as the PostgreSQL image does on first start. @returns the database, as the owner role */
async function prepareServer(
  postgres: RestartablePostgres,
  folder: string,
  compose: Readonly<Record<string, ComposeService>>,
  secrets: Readonly<Record<string, string>>,
) {
  const {
    POSTGRES_USER = "",
    POSTGRES_DB = "",
    POSTGRES_PASSWORD = "",
  } = compose["postgres"]?.environment ?? {};
  await ask(postgres, `CREATE DATABASE ${POSTGRES_DB}`);
  await ask(postgres, `ALTER ROLE ${POSTGRES_USER} PASSWORD '${POSTGRES_PASSWORD}'`);
  const database = { ...partsOf(postgres.owner), password: POSTGRES_PASSWORD, database: POSTGRES_DB };
  const { host, port } = database;
  const address = ["-h", host, "-p", String(port), "-U", POSTGRES_USER, "-d", POSTGRES_DB];
  await run("psql", ["-v", "ON_ERROR_STOP=1", ...address, "-f", join(folder, "service-role.sql")], {
    env: { PATH: process.env["PATH"], PGPASSWORD: POSTGRES_PASSWORD, ...secrets },
  });
  return database;
}
