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

/**
 * The work of a contestant on the database: `equal` to ours, as the application role within the row scope of the tenant, so that
 * row-level security is in force; or `less`, as the owner role or without a database.
 */
export type Work = "equal" | "less";

interface Peer {
  readonly script: string;
  /** For programs with several modes. */
  readonly mode?: string;
  readonly work: Work;
}

const PEERS: Readonly<Record<string, Peer>> = {
  constant: { script: "constant-server.js", work: "less" },
  fastify: { script: "rest-server.js", mode: "constant", work: "less" },
  "prepared-rls": { script: "rest-server.js", mode: "select", work: "equal" },
  prepared: { script: "rest-server.js", mode: "select", work: "less" },
  insert: { script: "rest-server.js", mode: "insert", work: "less" },
  "mercurius-jit-rls": { script: "mercurius-server.js", mode: "jit", work: "equal" },
  [POSTGRAPHILE]: { script: "postgraphile-server.js", work: "less" },
  mercurius: { script: "mercurius-server.js", work: "less" },
  "mercurius-jit": { script: "mercurius-server.js", mode: "jit", work: "less" },
  plain: { script: "plain-server.js", work: "less" },
};

/** All contestants except variants of ours. */
export const CONTESTANT_NAMES: readonly string[] = [OURS, ...Object.keys(PEERS)];

/** All contestants but the peers are our service. */
export function workOf(contestant: string): Work {
  return PEERS[contestant]?.work ?? "equal";
}

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
  const peer = PEERS[name];
  if (peer === undefined) throw new Error(`Unknown contestant: ${name}.`);
  const { script, mode = "", work } = peer;
  const settings: PeerSettings = {
    connection: work === "equal" ? database.runtime : database.owner,
    hasRowScope: work === "equal",
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
