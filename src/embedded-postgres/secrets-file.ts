import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { OperatorError } from "../domain/shared/operator-error.js";
import { createFile, ifPresent, writeDraft } from "./files.js";

const keyBytes = 32;
const format = z.object({
  databasePassword: z.string().min(1),
  encryptionKeys: z.array(z.base64()).min(1),
  demoKey: z.string().optional().catch(undefined),
});

/** Generated secrets that are saved for later starts when the operator configures none. */
export interface Secrets {
  /** Password of the embedded PostgreSQL server. */
  readonly databasePassword: string;
  /** 32 bytes each; the first one encrypts. */
  readonly encryptionKeys: readonly [Buffer, ...Buffer[]];
  /** The demo account's API key for the Customer environment, once the account has been created. */
  readonly demoKey: string | undefined;
}

/**
 * Reads the secrets in DATA_DIR (`secrets.json`, mode 600), which the first call creates. Processes that start at the same time get
 * the same secrets.
 * @throws OperatorError when the file cannot be created or read
 */
export async function openSecretsFile(dataDir: string): Promise<Secrets> {
  const path = pathIn(dataDir);
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const text = (await ifPresent(readFile(path, "utf8"))) ?? (await create(path));
    await chmod(path, 0o600);
    return parse(text, path);
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    throw new OperatorError(`Secrets cannot be stored in DATA_DIR: ${error.message}`, { cause: error });
  }
}

/** Adds the API key of the demo account to the existing secrets file. */
export async function saveDemoKey(dataDir: string, demoKey: string): Promise<void> {
  const path = pathIn(dataDir);
  const saved = z.looseObject({}).parse(parseJson(await readFile(path, "utf8")));
  await writeDraft(path, `${JSON.stringify({ ...saved, demoKey })}\n`, (draft) => rename(draft, path));
}

async function create(path: string): Promise<string> {
  const text = `${JSON.stringify({
    databasePassword: randomBytes(24).toString("base64url"),
    encryptionKeys: [randomBytes(keyBytes).toString("base64")],
  })}\n`;
  return (await createFile(path, text)) ? text : readFile(path, "utf8");
}

function parse(text: string, path: string): Secrets {
  const read = format.safeParse(parseJson(text));
  const [first, ...rest] = read.data?.encryptionKeys.map((key) => Buffer.from(key, "base64")) ?? [];
  if (!read.success || first === undefined || [first, ...rest].some((key) => key.length !== keyBytes)) {
    throw new OperatorError(
      `${path} is damaged. Restore it from a backup: without it, tokens cannot be decrypted.`,
    );
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
