import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { INSUFFICIENT_PRIVILEGE, openStorage, type Storage, type StorageOptions } from "../../app/storage.js";
import { type ProcessEnvironment, readConfig } from "../../config/config.js";
import type { Writer } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import { DomainError } from "../../domain/shared/errors.js";
import { errorCode, missingPrivilege, OperatorError } from "../../domain/shared/operator-error.js";
import { findAccount } from "../../persistence/accounts/account-queries.js";

/**
 * Opens the database for one command; attaches to the embedded server if it is already running.
 * @throws OperatorError as `openStorage` does, and for domain errors of the command
 */
export async function withStorage<Result>(
  environment: ProcessEnvironment,
  options: Pick<StorageOptions, "migrate" | "role">,
  command: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(environment);
  const warn = (message: string) => void process.stderr.write(`${message}\n`);
  if (config.databaseUrl === undefined && !existsSync(config.dataDir)) {
    warn(
      `Creating an empty database in ${resolve(config.dataDir)}. To use another one, set DATA_DIR or DATABASE_URL.`,
    );
  }
  const storage = await openStorage(config, { ...options, adopt: true, warn });
  try {
    return await command(storage);
  } catch (error) {
    if (error instanceof DomainError) throw new OperatorError(messageOf(error), { cause: error });
    if (!(error instanceof Error) || errorCode(error) !== INSUFFICIENT_PRIVILEGE) throw error;
    throw missingPrivilege(`a privilege: ${error.message}`, { cause: error });
  } finally {
    await storage.close();
  }
}

function messageOf({ code, field, message }: DomainError): string {
  return code === "invalid_field" && field ? `${field.join(".")} ${message}.` : message;
}

/** The account and environment of a command. */
export interface AccountChoice {
  readonly account: string;
  readonly environment: Environment;
}

/** The storage of a command, with admin access to one environment of an account. */
export interface AccountStorage extends Storage {
  readonly writer: Writer;
}

/**
 * Opens the database with admin access to one environment of an account.
 * @param actor author and request ID for the audit log
 * @throws OperatorError if the account does not exist; otherwise as `withStorage` and the command do
 */
export async function withAccount<Result>(
  settings: ProcessEnvironment,
  { account, environment }: AccountChoice,
  actor: { readonly name: string; readonly requestId: string | null },
  command: (storage: AccountStorage) => Promise<Result>,
): Promise<Result> {
  return withStorage(settings, { migrate: true }, async (storage) => {
    const found = await requireAccount(storage, account);
    const writer: Writer = {
      ...found,
      accountName: account,
      environment,
      keyId: 0,
      actor: { ...actor, keyId: null },
      scope: "admin",
    };
    return command({ ...storage, writer });
  });
}

/** Finds an account by name. @throws OperatorError if it does not exist */
export async function requireAccount({ database }: Pick<Storage, "database">, name: string) {
  const found = await findAccount(database.of({ accountName: name }), name);
  if (found) return found;
  throw new OperatorError(
    `Account ${JSON.stringify(name)} does not exist. Fix the name, or create it with \`account create\`.`,
    { code: "account_not_found" },
  );
}
