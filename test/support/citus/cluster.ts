import { spawnSync } from "node:child_process";
import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Database } from "../../../src/persistence/database/database.js";
import { planDistribution, runDistributionStep } from "../../../src/persistence/database/distribution.js";
import type { DatabaseOptions } from "../../../src/persistence/shared/database-options.js";
import { queryOnce, serverAccount, untilReady } from "../postgres/system-postgres.js";
import { freePort } from "../programs/free-port.js";
import { type GuardedProgram, startGuarded } from "../programs/guarded-program.js";

/** The directory of the programs of a PostgreSQL with Citus; without one, the tests of Citus are skipped. */
export const citusPrograms = process.env["CITUS_PROGRAMS"];

/** One server of a cluster. */
export interface CitusNode {
  readonly port: number;
  /** A URL for one of its databases and roles; none has a password. */
  url(database: string, user?: string): string;
  start(): Promise<void>;
  /** Ends it like a crash. */
  kill(): Promise<void>;
}

export interface CitusCluster {
  readonly coordinator: CitusNode;
  readonly workers: readonly [CitusNode, CitusNode];
  /** Runs a statement as a superuser on every node, in a database of that name. */
  onAll(database: string, statement: string): Promise<void>;
  /** Installs Citus in a database that exists on every node, and adds the workers. */
  connectWorkers(database: string): Promise<void>;
  /** Starts another server, which does not belong to the cluster yet. */
  addNode(): Promise<CitusNode>;
  /** Starts a streaming standby of a node. */
  addStandby(of: CitusNode): Promise<CitusNode>;
  close(): Promise<void>;
}

/** Starts a coordinator and two workers on loopback ports. @param settings of PostgreSQL, besides those here */
export async function startCitus(programs: string, settings: readonly string[] = []): Promise<CitusCluster> {
  const folder = await mkdtemp(join(tmpdir(), "ug-citus-"));
  const account = serverAccount();
  if (account) await chown(folder, account.uid, account.gid);
  await chmod(folder, 0o700);
  const directories = [0, 1, 2].map((index) => join(folder, String(index)));
  const [first = "", ...others] = directories;
  const options = ["-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"];
  const start = (directory: string) => startNode(programs, { folder, directory, settings });
  runProgram(join(programs, "initdb"), ["-D", first, ...options]);
  // Node's copy would not preserve the owner.
  for (const directory of others) runProgram("cp", ["-Rp", first, directory]);
  const nodes = await Promise.all(directories.map(start));
  const [coordinator, one, two] = nodes;
  if (!coordinator || !one || !two) throw new Error("There are three directories.");
  const add = async (fill: (directory: string) => void) => {
    const directory = join(folder, String(nodes.length));
    fill(directory);
    const node = await start(directory);
    nodes.push(node);
    return node;
  };
  const onAll = async (database: string, statement: string) => {
    for (const node of nodes) await queryOnce(node.url(database), statement);
  };
  return {
    coordinator,
    workers: [one, two],
    onAll,
    async connectWorkers(name) {
      await onAll(name, "CREATE EXTENSION citus");
      const database = coordinator.url(name);
      await queryOnce(database, `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);
      for (const { port } of [one, two])
        await queryOnce(database, `SELECT citus_add_node('127.0.0.1', ${port})`);
    },
    addNode: () => add((directory) => runProgram(join(programs, "initdb"), ["-D", directory, ...options])),
    addStandby: (of) =>
      add((directory) =>
        runProgram(join(programs, "pg_basebackup"), [
          ...["-D", directory, "-R", "-X", "stream", "-c", "fast"],
          ...["-d", of.url("postgres")],
        ]),
      ),
    async close() {
      await Promise.all(nodes.map((node) => node.kill()));
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

interface Place {
  /** Of the cluster, for sockets. */
  readonly folder: string;
  /** Of the node's data. */
  readonly directory: string;
  readonly settings: readonly string[];
}

async function startNode(programs: string, { folder, directory, settings }: Place): Promise<CitusNode> {
  const port = await freePort();
  const account = serverAccount();
  const become = account
    ? ["setpriv", `--reuid=${account.uid}`, `--regid=${account.gid}`, "--clear-groups"]
    : [];
  const all = [
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    "shared_preload_libraries=citus",
    "citus.node_conninfo=sslmode=disable",
    // Shards are moved by logical replication.
    "wal_level=logical",
    "max_connections=200",
    "shared_buffers=32MB",
    "fsync=off",
    "log_min_messages=panic",
    ...settings,
  ];
  const server = [join(programs, "postgres"), "-D", directory, "-p", String(port)];
  const command = ["-C", "/", `HOME=${folder}`, ...become, ...server];
  const url = (database: string, user = "postgres") => `postgres://${user}@127.0.0.1:${port}/${database}`;
  let program: GuardedProgram | undefined;
  const node: CitusNode = {
    port,
    url,
    async start() {
      program = await startGuarded("env", [...command, ...all.flatMap((setting) => ["-c", setting])], port);
      await untilReady(url("postgres"));
    },
    async kill() {
      if (program === undefined) return;
      runProgram(join(programs, "pg_ctl"), ["stop", "-m", "immediate", "-D", directory]);
      await program.end();
      program = undefined;
    },
  };
  await node.start();
  return node;
}

function runProgram(program: string, options: readonly string[]): void {
  const account = serverAccount();
  const { status, stderr } = spawnSync(program, options, { cwd: "/", encoding: "utf8", ...account });
  if (status !== 0) throw new Error(`${program} failed: ${stderr}`);
}

/** Two on each worker: each costs time to create and to move. */
export const SHARDS = 4;

/** Distributes the tables. @param maxSteps after which it is interrupted @returns the number of steps */
export async function distribute(
  target: DatabaseOptions["target"],
  maxSteps = Number.POSITIVE_INFINITY,
): Promise<number> {
  return withOwner(target, async (owner) => {
    const steps = (await planDistribution(owner, SHARDS)).slice(0, maxSteps);
    for (const step of steps) await runDistributionStep(owner, step);
    return steps.length;
  });
}

export async function withOwner<T>(
  target: DatabaseOptions["target"],
  work: (owner: Database) => Promise<T>,
): Promise<T> {
  const options = { target, poolSize: 2, connectTimeoutMs: 10_000, statementTimeoutMs: 0 };
  const owner = await Database.connect(options);
  try {
    return await work(owner);
  } finally {
    await owner.close();
  }
}
