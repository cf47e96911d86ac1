import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { findBinariesPackage } from "../../../src/embedded-postgres/installation.js";
import { openEmbeddedServer } from "../../../src/embedded-postgres/postgres.js";
import { openSecretsFile } from "../../../src/embedded-postgres/secrets-file.js";
import { cachedDirectory, project } from "../service/build-cache.js";

const CLUSTER_SOURCE = join(project, "src", "embedded-postgres", "postgres.ts");

/** Copies a new cluster into a directory as `postgres`. @returns its superuser's password */
export async function copyCluster(dataDir: string): Promise<string> {
  const prepared = await preparedDataDirectory();
  // Node's copy would not preserve owners.
  await promisify(execFile)("cp", ["-Rp", join(prepared, "postgres"), dataDir]);
  return (await openSecretsFile(prepared)).databasePassword;
}

/**
 * A DATA_DIR to copy, with secrets and a PostgreSQL cluster without databases. initdb runs once per version of
 * PostgreSQL instead of in each test that needs a cluster.
 */
export async function preparedDataDirectory(): Promise<string> {
  const hash = createHash("sha256")
    .update(await readFile(join(findBinariesPackage(), "package.json")))
    .update(await readFile(CLUSTER_SOURCE))
    .update(String(process.getuid?.()));
  return cachedDirectory(`data-${hash.digest("hex").slice(0, 16)}`, async (dataDir) => {
    const { databasePassword: password } = await openSecretsFile(dataDir);
    const server = await openEmbeddedServer({ dataDir, password, database: "postgres", adopt: false });
    await server.stop();
  });
}
