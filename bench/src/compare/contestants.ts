import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PeerSettings } from "../peers/peer-process.js";
import type { BenchDatabase } from "./database.js";
import type { Variant } from "./options.js";
import { type ServerProcess, startServer } from "./server-process.js";
import { ENVIRONMENT, type World } from "./world.js";

/** Who is measured, as a process that answers HTTP. */
export interface Contestant extends ServerProcess {
  readonly name: string;
  /** Whether its GraphQL schema is the one that PostGraphile makes of the tables. */
  readonly isPostgraphile: boolean;
}

export const OURS = "ours";
/** The database alone; no process of ours. */
export const PGBENCH = "pgbench";

interface PeerProgram {
  readonly script: string;
  readonly mode?: string;
  /** Needs a newer Node.js than we do. */
  readonly newerNode?: true;
}

const PEERS: Readonly<Record<string, PeerProgram>> = {
  constant: { script: "constant-server.js" },
  "constant-services": { script: "constant-server.js", mode: "services" },
  fastify: { script: "rest-server.js", mode: "constant" },
  prepared: { script: "rest-server.js", mode: "select" },
  insert: { script: "rest-server.js", mode: "insert" },
  postgraphile: { script: "postgraphile-server.js", newerNode: true },
  mercurius: { script: "mercurius-server.js" },
  "mercurius-jit": { script: "mercurius-server.js", mode: "jit" },
  yoga: { script: "yoga-server.js" },
  plain: { script: "plain-server.js" },
};

/** Everybody but variants of ours. */
export const CONTESTANT_NAMES: readonly string[] = [OURS, PGBENCH, ...Object.keys(PEERS)];

const BENCH = fileURLToPath(new URL("../../../..", import.meta.url));
const SERVICE = join(BENCH, "..", "dist", "src", "main.js");
const NEWER_NODE = join(BENCH, "node_modules", "node", "bin", "node");
/** Our default; all have the same. */
const POOL_SIZE = 10;

/** Starts our service as its users do, by its settings only: the others are the defaults. */
export async function startOurs(
  { name, settings }: Variant,
  directory: string,
  database: BenchDatabase,
  world: World,
): Promise<Contestant> {
  const server = await startServer({
    node: process.execPath,
    script: SERVICE,
    args: [],
    settings: {
      PORT: "0",
      DATABASE_URL: database.runtimeUrl,
      DATABASE_MIGRATION_URL: database.ownerUrl,
      ENCRYPTION_KEYS: world.encryptionKey,
      DATA_DIR: join(directory, name),
      ...settings,
    },
    log: join(directory, `${name}.log`),
  });
  return { ...server, name, isPostgraphile: false };
}

export async function startPeer(
  name: string,
  directory: string,
  database: BenchDatabase,
  world: World,
  constant: object,
): Promise<Contestant> {
  const program = PEERS[name];
  if (!program) throw new Error(`There is no contestant ${name}.`);
  const settings: PeerSettings = {
    connection: database.owner,
    poolSize: POOL_SIZE,
    encryptionKey: world.encryptionKey,
    tenants: Object.fromEntries(
      world.accounts.map(({ key, accountId }) => [key.secret, { accountId, environment: ENVIRONMENT }]),
    ),
    constant,
    mode: program.mode ?? "",
  };
  const server = await startServer({
    node: program.newerNode ? NEWER_NODE : process.execPath,
    script: fileURLToPath(new URL(`../peers/${program.script}`, import.meta.url)),
    args: [JSON.stringify(settings)],
    settings: {},
    log: join(directory, `${name}.log`),
  });
  return { ...server, name, isPostgraphile: program.script === "postgraphile-server.js" };
}
