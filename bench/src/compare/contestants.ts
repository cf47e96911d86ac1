import { fileURLToPath } from "node:url";
import type { PeerSettings } from "../peers/peer-process.js";
import { startServer, startService } from "../server-process.js";
import type { Contestant } from "./measurement.js";
import { NODE_24, type Variant } from "./options.js";
import type { Stage } from "./workload.js";
import { ENVIRONMENT } from "./world.js";

export const OURS = "ours";
/** An identical process: its ratios to ours show what cannot be told from noise. */
export const OURS_AGAIN = "ours-again";
/** Generates its own GraphQL schema from the tables. */
export const POSTGRAPHILE = "postgraphile";

/** The peers' programs, some with several modes. */
const PEERS: Readonly<Record<string, readonly [script: string, mode?: string]>> = {
  constant: ["constant-server.js"],
  fastify: ["rest-server.js", "constant"],
  prepared: ["rest-server.js", "select"],
  insert: ["rest-server.js", "insert"],
  [POSTGRAPHILE]: ["postgraphile-server.js"],
  mercurius: ["mercurius-server.js"],
  "mercurius-jit": ["mercurius-server.js", "jit"],
  plain: ["plain-server.js"],
};

/** All contestants except variants of ours. */
export const CONTESTANT_NAMES: readonly string[] = [OURS, ...Object.keys(PEERS)];

/** The service's default, used by all contestants. */
const POOL_SIZE = 10;

export async function startVariant(
  { settings, ...variant }: Variant,
  directory: string,
  stage: Stage,
): Promise<Contestant> {
  const all = { ENCRYPTION_KEYS: stage.world.encryptionKey, ...settings };
  return { ...(await startService({ ...variant, settings: all }, directory, stage.database)), stage };
}

/** @param constant the reply of peers without a database */
export async function startPeer(
  name: string,
  directory: string,
  stage: Stage,
  constant: object,
): Promise<Contestant> {
  const { database, world } = stage;
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
  const node = name === POSTGRAPHILE ? NODE_24 : process.execPath;
  return { ...(await startServer({ name, directory, args, node })), stage };
}
