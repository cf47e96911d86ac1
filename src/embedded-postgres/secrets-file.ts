import { randomBytes } from "node:crypto";
import { chmod, link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { errorCode } from "../domain/shared/error-code.js";
import { OperatorError } from "../domain/shared/operator-error.js";
import { ifPresent } from "./if-present.js";

const keyBytes = 32;
const format = z.object({
  databasePassword: z.string().min(1),
  encryptionKeys: z.array(z.base64()).min(1),
  demoKey: z.string().optional().catch(undefined),
});

/** What a service without an operator's own secrets must remember between starts. */
export interface Secrets {
  /** Of the embedded PostgreSQL server. */
  readonly databasePassword: string;
  /** 32 bytes each, the encrypting one first. */
  readonly encryptionKeys: readonly [Buffer, ...Buffer[]];
  /** The API key of the demo account for the Customer environment, from when that was made. */
  readonly demoKey: string | undefined;
}

/**
 * Reads the secrets kept in DATA_DIR (`secrets.json`, mode 600), made at the first call. Processes that start together agree.
 * @throws OperatorError when the file cannot be made or read
 */
export async function openSecretsFile(dataDir: string): Promise<Secrets> {
  const path = pathIn(dataDir);
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const text = (await ifPresent(readFile(path, "utf8"))) ?? (await create(dataDir, path));
    await chmod(path, 0o600);
    return parse(text, path);
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    throw new OperatorError(`Cannot keep secrets in DATA_DIR: ${error.message}`, { cause: error });
  }
}

/** Adds the API key of the demo account to the secrets, which are there already. */
export async function keepDemoKey(dataDir: string, demoKey: string): Promise<void> {
  const path = pathIn(dataDir);
  const kept = z.looseObject({}).parse(parseJson(await readFile(path, "utf8")));
  await writeDraft(dataDir, JSON.stringify({ ...kept, demoKey }), (draft) => rename(draft, path));
}

async function create(dataDir: string, path: string): Promise<string> {
  const text = JSON.stringify({
    databasePassword: randomBytes(24).toString("base64url"),
    encryptionKeys: [randomBytes(keyBytes).toString("base64")],
  });
  try {
    // A link, unlike a rename, does not replace what another process has put there in the meantime.
    await writeDraft(dataDir, text, (draft) => link(draft, path));
    return text;
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    return await readFile(path, "utf8");
  }
}

async function writeDraft(
  dataDir: string,
  text: string,
  moveInto: (draft: string) => Promise<void>,
): Promise<void> {
  const draft = join(dataDir, `.secrets-${randomBytes(6).toString("hex")}`);
  try {
    await writeFile(draft, `${text}\n`, { mode: 0o600, flag: "wx", flush: true });
    await moveInto(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

function parse(text: string, path: string): Secrets {
  const read = format.safeParse(parseJson(text));
  const [first, ...rest] = read.data?.encryptionKeys.map((key) => Buffer.from(key, "base64")) ?? [];
  if (!read.success || first === undefined || [first, ...rest].some((key) => key.length !== keyBytes)) {
    throw new OperatorError(`${path} is damaged; restore it from a backup: without it no token can be read.`);
  }
  const { databasePassword, demoKey } = read.data;
  return { databasePassword, encryptionKeys: [first, ...rest], demoKey };
}

function pathIn(dataDir: string): string {
  return join(dataDir, "secrets.json");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
