import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { parse } from "yaml";
import { z } from "zod";
import { partsOf } from "../postgres/database-parts.js";
import { ask, type RestartablePostgres, startRestartablePostgres } from "../postgres/restartable-postgres.js";
import { freePort } from "../programs/free-port.js";
import { type GuardedProgram, startGuarded } from "../programs/guarded-program.js";
import { pgbouncerPrepares } from "../programs/pgbouncer.js";
import { runHere } from "../service/command.js";
import { until } from "../service/patience.js";
import type { ProcessEnd, RunningService, TestProcesses } from "../service/running-process.js";

const run = promisify(execFile);
const composeFile = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      command: z.array(z.string()).default([]),
      environment: z.record(z.string(), z.string()).default({}),
      volumes: z.array(z.string()).default([]),
    }),
  ),
});

type ComposeService = z.infer<typeof composeFile>["services"][string];

export const REPLICAS = ["service-1", "service-2"] as const;
type Replica = (typeof REPLICAS)[number];

/** The services of compose.yaml, run from local programs with its settings and files at other addresses. */
export interface ComposeStack {
  readonly url: string;
  readonly secrets: Readonly<Record<string, string>>;
  readonly redisUrl: string;
  /** The database without PgBouncer, as the application role. */
  readonly databaseUrl: string;
  readonly services: Readonly<Record<Replica, RunningService>>;
  /** Stops a replica gracefully, starts it again and waits until HAProxy uses it. */
  replace(name: Replica): Promise<void>;
  /** Runs a CLI command as `docker compose run service-1` does. */
  command(...args: readonly string[]): Promise<ProcessEnd>;
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
  const ports: number[] = [];
  while (ports.length < 5) ports.push(await freePort());
  const [pgbouncer = 0, redis = 0, front = 0, one = 0, two = 0] = ports;
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
      .replace(/^prepared$/, pgbouncerPrepares ? "prepared" : "true")
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
  const { code, stderr } = await runHere(["migrate", "up"], environmentOf("migrate"));
  if (code !== 0) throw new Error(`migrate up failed: ${stderr}`);
  const serve = (name: Replica) =>
    processes.serve({ env: { ...environmentOf(name), PORT: String(name === "service-1" ? one : two) } });
  const services = { "service-1": await serve("service-1"), "service-2": await serve("service-2") };
  await start("haproxy", front, ["haproxy", "-q", "-db", "-f", join(folder, "haproxy.cfg")]);
  return {
    url: `http://127.0.0.1:${front}`,
    secrets,
    redisUrl: environmentOf("service-1")["REDIS_URL"] ?? "",
    databaseUrl: environmentOf("service-1")["DATABASE_LISTEN_URL"] ?? "",
    services,
    async replace(name) {
      services[name].kill("SIGTERM");
      const { code } = await services[name].ended;
      if (code !== 0) throw new Error(`${name} ended with ${code}.`);
      services[name] = await serve(name);
      await until(() => services[name].stderr().includes('"path":"/api/user"'));
    },
    command: (...args) => runHere(args, environmentOf("service-1")),
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

/**
 * Reads the services of a compose file and interpolates variables as Compose does.
 * @throws Error when a required variable is missing
 */
export function readCompose(
  path: string,
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, ComposeService>> {
  const document: unknown = parse(readFileSync(path, "utf8"), { merge: true });
  const filled: unknown = JSON.parse(JSON.stringify(document), (_, value: unknown) =>
    typeof value === "string" ? fillIn(value, variables) : value,
  );
  return composeFile.parse(filled).services;
}

/** Parses lines of the form NAME=value; `#` begins a comment. */
function readEnvFile(path: string): Readonly<Record<string, string>> {
  const lines = readFileSync(path, "utf8").matchAll(/^([A-Z_]+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name = "", value = ""]) => [name, value]));
}

function fillIn(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(
    /\$(?:(\$)|\{([A-Z0-9_]+)(?::([-?])([^}]*))?\})/g,
    (_, dollar: string | undefined, name: string, kind: string | undefined, rest: string | undefined) => {
      if (dollar !== undefined) return "$";
      const value = variables[name];
      if (value !== undefined && value !== "") return value;
      if (kind === "?") throw new Error(`${name}: ${rest}`);
      return rest ?? "";
    },
  );
}
