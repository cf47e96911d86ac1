import { fileURLToPath } from "node:url";
import type { PeerSettings } from "../peers/peer-process.js";
import { type ServerProcess, startServer, startService } from "../server-process.js";
import { NODE_24, type Variant } from "./options.js";
import type { Stage } from "./workload.js";
import { ENVIRONMENT } from "./world.js";

export const OURS = "ours";
/** The database without a server. */
export const PGBENCH = "pgbench";
/** Generates its own GraphQL schema from the tables. */
export const POSTGRAPHILE = "postgraphile";

/** The peers' programs, some with several modes. */
const PEERS: Readonly<Record<string, readonly [script: string, mode?: string]>> = {
  constant: ["constant-server.js"],
  "constant-services": ["constant-server.js", "services"],
  fastify: ["rest-server.js", "constant"],
  prepared: ["rest-server.js", "select"],
  insert: ["rest-server.js", "insert"],
  [POSTGRAPHILE]: ["postgraphile-server.js"],
  mercurius: ["mercurius-server.js"],
  "mercurius-jit": ["mercurius-server.js", "jit"],
  yoga: ["yoga-server.js"],
  plain: ["plain-server.js"],
};

/** All contestants except variants of ours. */
export const CONTESTANT_NAMES: readonly string[] = [OURS, PGBENCH, ...Object.keys(PEERS)];

/** The service's default, used by all contestants. */
const POOL_SIZE = 10;

export function startVariant(
  { settings, ...variant }: Variant,
  directory: string,
  { database, world }: Stage,
): Promise<ServerProcess> {
  const all = { ENCRYPTION_KEYS: world.encryptionKey, ...settings };
  return startService({ ...variant, settings: all }, directory, database);
}

/** @param constant the reply of peers without a database */
export async function startPeer(
  name: string,
  directory: string,
  { database, world }: Stage,
  constant: object,
): Promise<ServerProcess> {
  const [script, mode = ""] = PEERS[name] ?? [];
  if (script === undefined) throw new Error(`Unknown contestant: ${name}.`);
  const settings: PeerSettings = {
    connection: database.owner,
    poolSize: POOL_SIZE,
    encryptionKey: world.encryptionKey,
    tenants: Object.fromEntries(
      world.accounts.map(({ key, accountId }) => [key.secret, { accountId, environment: ENVIRONMENT }]),
    ),
    constant,
    mode,
  };
  const path = fileURLToPath(new URL(`../peers/${script}`, import.meta.url));
  const args = [path, JSON.stringify(settings)];
  return startServer({ name, directory, args, ...(name === POSTGRAPHILE ? { node: NODE_24 } : {}) });
}
