import { chown, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OperatorError } from "../domain/shared/operator-error.js";
import { embeddedUser } from "./connection.js";
import { ifPresent } from "./files.js";
import type { Installation } from "./installation.js";
import { directoryArgument, explain, type OnLog, runProgram } from "./programs.js";

const DRAFT_PREFIX = "postgres.init-";

/** Returns whether the directory has a cluster. @throws OperatorError when it has other files */
export async function hasCluster(clusterDir: string): Promise<boolean> {
  const entries = (await ifPresent(readdir(clusterDir))) ?? [];
  if (entries.length === 0 || entries.includes("PG_VERSION")) return entries.length > 0;
  throw new OperatorError(
    `${clusterDir} is not a PostgreSQL data directory. Move it, or set another DATA_DIR.`,
  );
}

/**
 * Creates a cluster in a draft directory next to `clusterDir` and renames it: a killed process leaves no incomplete cluster.
 * @throws OperatorError when initdb fails
 */
export async function createCluster(
  { programs, account }: Installation,
  clusterDir: string,
  password: string,
  onLog: OnLog,
): Promise<void> {
  const dataDir = dirname(clusterDir);
  const removeDrafts = async () => {
    for (const name of (await readdir(dataDir)).filter((entry) => entry.startsWith(DRAFT_PREFIX)))
      await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 5 });
  };
  await removeDrafts();
  const draft = await mkdtemp(join(dataDir, DRAFT_PREFIX));
  const [data, passwordFile] = [join(draft, "data"), join(draft, "password")];
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (account !== undefined)
    for (const path of [data, passwordFile, draft]) await chown(path, account.uid, account.gid);
  const initdb = runProgram(
    join(programs, "initdb"),
    [
      ...["-D", directoryArgument(data), "--username", embeddedUser],
      ...["--pwfile", "../password", "--auth=scram-sha-256", "--no-instructions"],
      ...["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"],
    ],
    { ...account, cwd: data },
    onLog,
  );
  const exitCode = await initdb.exitCode;
  await initdb.closed;
  if (exitCode === 0) await rename(data, clusterDir);
  await removeDrafts();
  if (exitCode === 0) return;
  throw new OperatorError(
    `The embedded PostgreSQL server could not create its data directory in ${dataDir}: ${explain(initdb.lines)}`,
  );
}
