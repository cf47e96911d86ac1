import type { Storage } from "../../app/storage.js";
import type { ProcessEnvironment } from "../../config/config.js";
import type { Writer } from "../../domain/accounts/caller.js";
import type { Environment } from "../../domain/accounts/environment.js";
import { OperatorError } from "../../domain/shared/operator-error.js";
import { findAccount } from "../../persistence/accounts/account-queries.js";
import { withStorage } from "./storage.js";

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
