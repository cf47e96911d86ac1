import type { Storage } from "../../app/storage.js";
import type { ProcessEnvironment } from "../../config/config.js";
import type { ListedApiKey } from "../../domain/accounts/api-key.js";
import type { Scope } from "../../domain/accounts/caller.js";
import { acceptedUntil, type SigningKey, signingKeyState } from "../../domain/authentication/signing-key.js";
import { DomainError } from "../../domain/shared/errors.js";
import { parseInternalId } from "../../domain/shared/internal-id.js";
import { OperatorError, UsageError } from "../../domain/shared/operator-error.js";
import { AccountService } from "../../services/accounts/account-service.js";
import { SigningKeys } from "../../services/authentication/signing-keys.js";
import { TokenReencryption, type UnreadableRow } from "../../services/transfer/token-reencryption.js";
import { formatTable, type Output } from "../shared/output.js";
import { type AccountChoice, requireAccount, withStorage } from "../shared/storage.js";

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

/**
 * Re-encrypts all tokens with the first encryption key and prints their number.
 * @throws OperatorError at the end if rows were skipped because they cannot be decrypted
 */
export async function reencryptTokens(environment: ProcessEnvironment, output: Output): Promise<void> {
  await withStorage(environment, { migrate: true }, async ({ database, vault }) => {
    const reencryption = new TokenReencryption(database, vault);
    const { tokens, unreadable } = await reencryption.run((count) =>
      process.stderr.write(`re-encrypted ${count} tokens so far\n`),
    );
    const outcome = `re-encrypted ${tokens} tokens with key ${vault.primaryKeyId}`;
    const remedy = unreadable.length > 0 ? "" : "; the other keys can be removed from ENCRYPTION_KEYS";
    const rows = unreadable.map(({ tenant, kind, id, reason }) => ({
      account_id: tenant?.accountId ?? null,
      environment: tenant?.environment ?? null,
      kind,
      id,
      reason,
    }));
    await output.print({ tokens, key_id: vault.primaryKeyId, unreadable: rows }, `${outcome}${remedy}\n`);
    if (unreadable.length === 0) return;
    const lines = unreadable.map(
      ({ tenant, kind, id, reason }) =>
        `${tenant ? `account ${tenant.accountId}, ${tenant.environment}, ` : ""}${UNREADABLE[kind](id)}: ${reason}\n`,
    );
    process.stderr.write(lines.join(""));
    throw new OperatorError(
      `${unreadable.length} rows cannot be decrypted and were skipped. Replace what they contain (docs/key-rotation.md#rows-that-cannot-be-decrypted), then run the command again.`,
    );
  });
}

const UNREADABLE: Readonly<Record<UnreadableRow["kind"], (id: number | string) => string>> = {
  userGroup: (id) => `the token of user group ${id}`,
  webhookEndpoint: (id) => `the secret of webhook endpoint ${id}`,
  idempotentRequest: (id) => `the stored reply of Idempotency-Key ${JSON.stringify(id)}`,
  signingKey: (id) => `the signing key ${id}`,
  sessionTemplate: (id) => `the secret of session template ${id}`,
};

/** Prints the number of rows that each key encrypts. */
export async function countByKey(environment: ProcessEnvironment, output: Output): Promise<void> {
  await withStorage(environment, { migrate: true }, async ({ database, vault }) => {
    const counts = [...(await new TokenReencryption(database, vault).countByKey())];
    const views = counts.map(([id, rows]) => ({ key_id: id, rows, is_first: id === vault.primaryKeyId }));
    const lines = views.map(({ key_id: id, rows, is_first: isFirst }) => [
      id,
      `${rows}`,
      isFirst ? "first" : "remove after `token reencrypt`",
    ]);
    await output.print(views, formatTable([["KEY ID", "ROWS", "KEY"], ...lines]));
  });
}

const SIGNING_KEY_COLUMNS = ["ID", "CREATED", "SIGNS FROM", "RETIRED FROM", "ACCEPTED UNTIL", "STATE"];

/** The environment whose session templates have the keys; without account and environment, the keys are those of embed sessions. */
type KeyOwnerChoice = Partial<AccountChoice>;

export async function listSigningKeys(
  environment: ProcessEnvironment,
  options: KeyOwnerChoice,
  output: Output,
): Promise<void> {
  await withSigningKeys(environment, options, async (signingKeys) => {
    const keys = await signingKeys.list();
    const now = new Date();
    const views = keys.map((key) => ({
      id: key.id,
      created_at: key.createdAt,
      signs_from: key.signsFrom,
      retired_from: key.retiredFrom,
      accepted_until: acceptedUntil(key),
      state: signingKeyState(key, now),
    }));
    await output.print(
      views,
      formatTable([SIGNING_KEY_COLUMNS, ...keys.map((key) => toSigningKeyRow(key, now))]),
    );
  });
}

/** Prints the ID of the new key. */
export async function rotateSigningKey(
  environment: ProcessEnvironment,
  { revoke = false, ...options }: KeyOwnerChoice & { readonly revoke?: boolean },
  output: Output,
): Promise<void> {
  await withSigningKeys(environment, options, async (signingKeys) => {
    const { id, signsFrom } = await signingKeys.rotate(revoke);
    const text = `added ${id}, which signs from ${signsFrom.toISOString()}\n`;
    await output.print({ id, signs_from: signsFrom }, text);
  });
}

async function withSigningKeys(
  settings: ProcessEnvironment,
  { account, environment }: KeyOwnerChoice,
  command: (keys: SigningKeys) => Promise<void>,
): Promise<void> {
  if ((account === undefined) !== (environment === undefined))
    throw new UsageError(
      "Pass --account and --environment together, or neither for the keys of embed sessions.",
    );
  await withStorage(settings, { migrate: true }, async (storage) => {
    const owner =
      account !== undefined && environment !== undefined
        ? { accountId: (await requireAccount(storage, account)).accountId, environment }
        : null;
    await command(new SigningKeys(storage.database, storage.vault, owner));
  });
}

function toSigningKeyRow(key: SigningKey, now: Date): string[] {
  return [
    key.id,
    key.createdAt.toISOString(),
    key.signsFrom.toISOString(),
    key.retiredFrom?.toISOString() ?? "-",
    acceptedUntil(key)?.toISOString() ?? "-",
    signingKeyState(key, now),
  ];
}
