import { readdir, readFile, stat } from "node:fs/promises";
import { OperatorError } from "../domain/shared/operator-error.js";
import { ifPresent } from "./if-present.js";

/** The user that PostgreSQL runs as if it differs from the user of this process. */
export interface EmbeddedAccount {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns the owner of the cluster in `clusterDir`; undefined when there is none yet (missing or empty directory).
 * @throws OperatorError when the directory belongs to another user or is not a PostgreSQL data directory
 */
export async function findClusterOwner(clusterDir: string): Promise<EmbeddedAccount | undefined> {
  const found = await ifPresent(stat(clusterDir));
  if (found === undefined) return undefined;
  const self = process.getuid?.();
  if (self !== 0 && self !== found.uid) {
    throw new OperatorError(
      `${clusterDir} belongs to user ID ${found.uid}, but this process runs as user ID ${self}. Run it as the owner, or set another DATA_DIR.`,
    );
  }
  const entries = await readdir(clusterDir);
  if (entries.length === 0) return undefined;
  if (!entries.includes("PG_VERSION")) {
    throw new OperatorError(
      `${clusterDir} is not a PostgreSQL data directory. Move it, or set another DATA_DIR.`,
    );
  }
  return { uid: found.uid, gid: found.gid };
}

/**
 * Chooses the user that PostgreSQL runs as, since it refuses to run as root: undefined, the user of this process, unless that is root.
 * @throws OperatorError when there is no suitable user
 */
export async function chooseAccount(
  clusterDir: string,
  owner: EmbeddedAccount | undefined,
): Promise<EmbeddedAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  if (owner !== undefined && owner.uid !== 0) return owner;
  const account = await findServiceAccount();
  if (account === undefined) {
    throw new OperatorError(
      "PostgreSQL cannot run as root, and this machine has neither a user postgres nor nobody. Run the service as another user, or set DATABASE_URL.",
    );
  }
  if (owner !== undefined) {
    throw new OperatorError(
      `${clusterDir} belongs to root, but PostgreSQL cannot run as root. Change the owner: chown -R ${account.uid}:${account.gid} '${clusterDir}'`,
    );
  }
  return account;
}

async function findServiceAccount(): Promise<EmbeddedAccount | undefined> {
  const lines = (await readFile("/etc/passwd", "utf8")).split("\n");
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}
