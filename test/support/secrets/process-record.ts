import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { currentSecrets, recordLog, recordSecret } from "./run-record.js";
import { expectNoSecrets, searchFiles } from "./stored-secrets.js";

const KEPT = "secrets.json";
/** The output of the first start between its first line and its last. */
const DEMO = /^Created the account "demo"[\s\S]*?(?=^Playground:|(?![\s\S]))/m;

/** Records the secrets in a process's environment. */
export function recordEnvironment(env: Readonly<Record<string, string>>): void {
  for (const key of env["ENCRYPTION_KEYS"]?.split(",") ?? []) {
    recordSecret("an encryption key", Buffer.from(key, "base64"));
  }
  for (const [name, url] of Object.entries(env)) {
    const [, password = ""] = /^\w+:\/\/[^/@]*?:([^/@]+)@/.exec(url) ?? [];
    recordSecret(`the password of ${name}`, decodeURIComponent(password));
  }
}

/** Commands whose purpose is to print a secret (decision 25). */
const PRINTING = /^(?:key create|graphql)\b/;

/** Records a process's output, except for secrets that were asked for: the demo account's keys, and those of some commands. */
export function recordOutput(
  args: readonly string[],
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
): void {
  recordLog(stderr);
  if (!PRINTING.test(args.join(" "))) recordLog(stdout.replace(DEMO, ""));
}

/**
 * Records the secrets stored in a directory used as DATA_DIR.
 * @throws Error when another file contains a secret
 */
export async function searchDataDirectory(directory: string): Promise<void> {
  for (const name of await readdir(directory, { recursive: true })) {
    if (basename(name) === KEPT) recordKept(await readFile(join(directory, name), "utf8"));
  }
  const findings = await searchFiles(directory, currentSecrets(), [KEPT]);
  expectNoSecrets(findings, "files of a process");
}

function recordKept(text: string): void {
  try {
    const { databasePassword, encryptionKeys } = JSON.parse(text);
    recordSecret("the password of an embedded database", databasePassword);
    for (const key of encryptionKeys) recordSecret("an encryption key", Buffer.from(key, "base64"));
  } catch {
    // Some tests damage it.
  }
}
