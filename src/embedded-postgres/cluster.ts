import { chown, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OperatorError } from "../domain/shared/operator-error.js";
import { errorCode } from "../domain/shared/system-error-code.js";
import type { EmbeddedAccount } from "./account.js";
import { startGuarded } from "./guard.js";
import { ifPresent } from "./if-present.js";
import { explainFailure } from "./log.js";
import { isAlive } from "./pid-file.js";

/** The superuser of an embedded cluster, which is the owner role. */
export const embeddedUser = "user_groups";

/** The application role. */
export const embeddedRuntimeUser = "user_groups_runtime";

const draftPrefix = "postgres.init-";
const draftMaxAgeMs = 600_000;

/**
 * Creates a cluster in a draft directory next to `clusterDir` and renames it atomically, so that neither a killed process nor a
 * concurrent one leaves an incomplete cluster. The first rename wins; a later draft is removed.
 * @throws OperatorError when initdb fails
 */
export async function createCluster(options: {
  readonly dataDir: string;
  readonly clusterDir: string;
  readonly initdb: string;
  readonly workspace: string;
  readonly account: EmbeddedAccount | undefined;
  readonly password: string;
  readonly onLog: ((line: string) => void) | undefined;
}): Promise<void> {
  await removeStaleDrafts(options.dataDir);
  const draft = await mkdtemp(join(options.dataDir, `${draftPrefix}${process.pid}-`));
  try {
    await initialise(draft, options);
    await rename(join(draft, "data"), options.clusterDir);
  } catch (error) {
    if (!["ENOTEMPTY", "EEXIST"].includes(errorCode(error) ?? "")) throw error;
  } finally {
    await removeDraft(draft);
  }
}

/** Returns the argument of PostgreSQL's -D option for a process whose working directory is `directory`. */
export function dataDirArgument(directory: string, account: EmbeddedAccount | undefined): string {
  // Another account may lack search permission on parent directories of root; this link does not need it (Linux).
  return account !== undefined && process.platform === "linux" ? "/proc/self/cwd" : directory;
}

async function initialise(draft: string, options: Parameters<typeof createCluster>[0]): Promise<void> {
  const { account } = options;
  const data = join(draft, "data");
  const passwordFile = join(draft, "password");
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, `${options.password}\n`, { mode: 0o600 });
  if (account !== undefined) {
    for (const path of [data, passwordFile, draft]) await chown(path, account.uid, account.gid);
  }
  const initdb = await startGuarded({
    command: [
      options.initdb,
      ...["-D", dataDirArgument(data, account)],
      ...["--username", embeddedUser, "--pwfile", "../password", "--auth=scram-sha-256"],
      ...["--encoding=UTF8", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"],
      "--no-instructions",
    ],
    cwd: data,
    workspace: options.workspace,
    account,
    onLog: options.onLog,
  });
  const end = await initdb.ended;
  if (end !== "exit status 0") {
    throw new OperatorError(
      `The embedded PostgreSQL server could not create its data directory in ${options.dataDir}: ${explainFailure(initdb.logLines(), end)}`,
    );
  }
}

/** Removes the drafts of killed processes. Also by age, as process IDs repeat in containers. */
async function removeStaleDrafts(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!name.startsWith(draftPrefix)) continue;
    const draft = join(dataDir, name);
    const owner = Number.parseInt(name.slice(draftPrefix.length), 10);
    if (!isAlive(owner) || (await ageOf(draft)) > draftMaxAgeMs) await removeDraft(draft);
  }
}

async function removeDraft(draft: string): Promise<void> {
  await rm(draft, { recursive: true, force: true, maxRetries: 5 });
}

async function ageOf(path: string): Promise<number> {
  const found = await ifPresent(stat(path));
  return found ? Date.now() - found.mtimeMs : 0;
}
