import { createWriteStream } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { printable } from "@user-groups/site-config/check-format";
import type { ProcessEnvironment } from "../../config/config.js";
import type { Account } from "../../domain/accounts/caller.js";
import { parseInternalId } from "../../domain/shared/internal-id.js";
import { errorCode, OperatorError } from "../../domain/shared/operator-error.js";
import type { Database } from "../../persistence/database/database.js";
import { AccountService } from "../../services/accounts/account-service.js";
import { AccountDeletion, type ExportedFile, exportAccount } from "../../services/transfer/account-data.js";
import { isConfirmed } from "../shared/confirmation.js";
import { EXIT_INTERRUPTED, interruptible } from "../shared/interruption.js";
import { formatTable, type Output } from "../shared/output.js";
import { ProgressLine } from "../shared/progress.js";
import { withStorage } from "../shared/storage.js";

/** The number of lines by file name. */
type WrittenFiles = (readonly [file: string, lines: number])[];

/**
 * Writes files of JSON Lines to a new directory, which appears only when it is complete.
 * @param onProgress called with the number of lines of a file so far
 * @returns null if it was stopped before the end
 * @throws OperatorError if the directory exists or cannot be written
 */
async function writeDirectory(
  directory: string,
  files: readonly ExportedFile[],
  signal: AbortSignal,
  onProgress: (file: string, lines: number) => void,
): Promise<WrittenFiles | null> {
  const draft = `${directory}.part`;
  let isOwn = false;
  try {
    // Fails if another export is running. rename() would replace an empty directory.
    await mkdir(draft, { mode: 0o700 });
    isOwn = true;
    const written: WrittenFiles = [];
    for (const { name, pages } of files) {
      const file = `${name}.jsonl`;
      let lines = 0;
      const text = async function* () {
        for await (const page of pages) {
          signal.throwIfAborted();
          lines += page.length;
          onProgress(file, lines);
          yield `${page.join("\n")}\n`;
        }
      };
      await pipeline(
        Readable.from(text()),
        createWriteStream(join(draft, file), { flags: "wx", mode: 0o600 }),
      );
      written.push([file, lines]);
    }
    await rename(draft, directory);
    return written;
  } catch (error) {
    if (isOwn) await rm(draft, { recursive: true, force: true });
    if (signal.aborted) return null;
    if (errorCode(error) === undefined || !(error instanceof Error && "syscall" in error)) throw error;
    throw new OperatorError(`Cannot write ${JSON.stringify(directory)}: ${error.message}.`, { cause: error });
  }
}

interface DeleteOptions {
  readonly id: string;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** Creates an account and prints its ID. @throws OperatorError if one has the name */
export async function createAccount(
  environment: ProcessEnvironment,
  name: string,
  output: Output,
): Promise<void> {
  await withStorage(environment, { migrate: true }, async ({ database, vault }) => {
    const { accountId: id, created } = await new AccountService(database, vault).ensure(name);
    if (!created)
      throw new OperatorError(`Account ${JSON.stringify(name)} exists.`, { code: "account_exists" });
    await output.print({ id, name }, `created account ${id} (${printable(name)})\n`);
  });
}

export async function listAccounts(environment: ProcessEnvironment, output: Output): Promise<void> {
  await withStorage(environment, { migrate: true }, async ({ database, vault }) => {
    const accounts = await new AccountService(database, vault).list();
    const rows = accounts.map(({ id, name, createdAt }) => [String(id), name, createdAt.toISOString()]);
    const views = accounts.map(({ id, name, createdAt }) => ({ id, name, created_at: createdAt }));
    await output.print(views, formatTable([["ID", "NAME", "CREATED"], ...rows]));
  });
}

/** @returns the exit code */
export async function exportToDirectory(
  environment: ProcessEnvironment,
  { id, to }: { readonly id: string; readonly to: string },
  output: Output,
): Promise<number> {
  return withStorage(environment, { migrate: true }, async ({ database, vault }) => {
    const account = await findAccount(new AccountService(database, vault), id);
    const line = new ProgressLine(process.stderr);
    const files = exportAccount(database, account);
    const lines = await interruptible((signal) =>
      writeDirectory(to, files, signal, (file, count) => line.update(count, `lines of ${file}`)),
    ).finally(() => line.clear());
    if (lines === null) {
      // Exported rows may have changed since: a continued export would mix two states.
      process.stderr.write(
        "Interrupted. Nothing was kept, because an export cannot be continued. Run the command again.\n",
      );
      return EXIT_INTERRUPTED;
    }
    const rows = lines.map(([file, count]) => [file, `${count}`]);
    await output.print(Object.fromEntries(lines), formatTable([["FILE", "LINES"], ...rows]));
    return 0;
  });
}

/** @returns the exit code */
export async function deleteAccount(
  environment: ProcessEnvironment,
  { id, dryRun, yes }: DeleteOptions,
  output: Output,
): Promise<number> {
  return withStorage(environment, { migrate: true, role: "owner" }, async ({ database, vault }) => {
    const account = await findAccount(new AccountService(database, vault), id);
    const deletion = new AccountDeletion(database);
    if (dryRun) {
      const counts = await deletion.count(account.id);
      const rows = [...counts].map(([table, count]) => [table, String(count)]);
      await output.print(Object.fromEntries(counts), formatTable([["TABLE", "ROWS"], ...rows]));
      return 0;
    }
    if (!(await deletion.isAllowed())) {
      throw new OperatorError(
        "This role is not allowed to delete accounts. Set DATABASE_MIGRATION_URL to a URL with the owner role.",
      );
    }
    if (!yes) await confirm(account);
    return runDeletion(database, account, output);
  });
}

async function runDeletion(database: Database, { id, name }: Account, output: Output): Promise<number> {
  return interruptible(async (signal) => {
    const line = new ProgressLine(process.stderr);
    const progress = (count: number) => line.update(count, "rows");
    const rows = await new AccountDeletion(database).run(id, signal, progress).finally(() => line.clear());
    if (rows === null) {
      process.stderr.write("Interrupted. Run the command again to continue.\n");
      return EXIT_INTERRUPTED;
    }
    await output.print({ id, name, rows }, `deleted account ${id} (${printable(name)}): ${rows} rows\n`);
    return 0;
  });
}

/** Reads the account's name from standard input. @throws OperatorError if it differs */
async function confirm({ name }: Account): Promise<void> {
  const question = `This deletes the account ${printable(JSON.stringify(name))} permanently. Type its name to confirm: `;
  if (await isConfirmed(question, name)) return;
  throw new OperatorError("The name does not match. Nothing was deleted.");
}

async function findAccount(accounts: AccountService, text: string): Promise<Account> {
  const id = parseInternalId(text);
  const account = id === null ? null : await accounts.find(id);
  if (account) return account;
  throw new OperatorError(`No account has the ID \`${text}\`. List the accounts with \`account list\`.`, {
    code: "account_not_found",
  });
}
