import type { Storage } from "../../app/storage.js";
import type { ProcessEnvironment } from "../../config/config.js";
import type { ListedApiKey } from "../../domain/accounts/api-key.js";
import type { Scope } from "../../domain/accounts/caller.js";
import { DomainError } from "../../domain/shared/errors.js";
import { parseInternalId } from "../../domain/shared/internal-id.js";
import { AccountService } from "../../services/accounts/account-service.js";
import { type AccountChoice, requireAccount } from "../shared/account.js";
import type { Output } from "../shared/output.js";
import { withStorage } from "../shared/storage.js";
import { formatTable } from "../shared/table.js";

const COLUMNS = ["ID", "ACCOUNT", "ENVIRONMENT", "SCOPE", "NAME", "KEY", "CREATED", "LAST USED", "STATE"];

/** The author of changes, in the audit log. */
const ACTOR = { name: "cli", keyId: null, requestId: null };

/** Creates an API key and prints only its secret on stdout. */
export async function createKey(
  environment: ProcessEnvironment,
  options: AccountChoice & { readonly scope: Scope; readonly name: string; readonly expires?: Date },
  output: Output,
): Promise<void> {
  await withAccounts(environment, async (accounts, storage) => {
    const { accountId } = await requireAccount(storage, options.account);
    const key = { ...options, expiresAt: options.expires ?? null };
    const { apiKey, secret } = await accounts.createKey({ accountId, actor: ACTOR }, key);
    await output.print({ id: apiKey.id, key: secret }, `${secret}\n`);
  });
}

export async function listKeys(
  environment: ProcessEnvironment,
  options: { readonly account?: string },
  output: Output,
): Promise<void> {
  await withAccounts(environment, async (accounts, storage) => {
    if (options.account !== undefined) await requireAccount(storage, options.account);
    const keys = await accounts.listKeys(options.account);
    const now = new Date();
    const views = keys.map((key) => ({
      id: key.id,
      account: key.accountName,
      environment: key.environment,
      scope: key.scope,
      name: key.name,
      hint: key.hint,
      created_at: key.createdAt,
      last_used_at: key.lastUsedAt,
      expires_at: key.expiresAt,
      revoked_at: key.revokedAt,
    }));
    await output.print(views, formatTable([COLUMNS, ...keys.map((key) => toRow(key, now))]));
  });
}

/** Revokes an API key. @throws DomainError if there is no active key with this ID */
export async function revokeKey(environment: ProcessEnvironment, id: string, output: Output): Promise<void> {
  await withAccounts(environment, async (accounts) => {
    const keyId = parseInternalId(id);
    if (keyId === null || !(await accounts.revokeKey(keyId, ACTOR))) {
      const problem = `No active API key has the ID \`${id}\`. List the keys with \`key list\`.`;
      throw new DomainError("api_key_not_found", problem);
    }
    await output.print({ revoked: keyId }, `revoked ${keyId}\n`);
  });
}

async function withAccounts(
  environment: ProcessEnvironment,
  command: (accounts: AccountService, storage: Storage) => Promise<void>,
): Promise<void> {
  await withStorage(environment, { migrate: true }, (storage) =>
    command(new AccountService(storage.database, storage.vault), storage),
  );
}

function toRow(key: ListedApiKey, now: Date): string[] {
  return [
    String(key.id),
    key.accountName,
    key.environment,
    key.scope,
    key.name,
    key.hint,
    key.createdAt.toISOString(),
    key.lastUsedAt?.toISOString() ?? "never",
    state(key, now),
  ];
}

function state({ revokedAt, expiresAt }: ListedApiKey, now: Date): string {
  if (revokedAt) return `revoked ${revokedAt.toISOString()}`;
  if (!expiresAt) return "active";
  return `${expiresAt <= now ? "expired" : "expires"} ${expiresAt.toISOString()}`;
}
