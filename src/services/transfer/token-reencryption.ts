import { setTimeout as sleep } from "node:timers/promises";
import type { EntityManager } from "typeorm";
import type { Tenant, TenantKey } from "../../domain/accounts/caller.js";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import type { TokenBinding, TokenVault } from "../../domain/accounts/token-vault.js";
import { missingPrivilege } from "../../domain/shared/operator-error.js";
import { findAccountIds } from "../../persistence/accounts/account-queries.js";
import {
  type KeyOwner,
  listSigningKeys,
  reencryptSigningKey,
} from "../../persistence/authentication/signing-keys.js";
import type { Database } from "../../persistence/database/database.js";
import { requireKnownSchema } from "../../persistence/database/migrator.js";
import {
  type EncryptedReply,
  findRepliesUnderOtherKeys,
  reencryptReply,
} from "../../persistence/requests/idempotent-request-queries.js";
import {
  findTemplatesUnderOtherKeys,
  reencryptTemplateSecret,
} from "../../persistence/session-templates/templates.js";
import { rehashImportedTokens } from "../../persistence/user-groups/imported-token-queries.js";
import {
  countRowsByKey,
  type EncryptedRow,
  findMissingGrants,
  findTokensUnderOtherKeys,
  reencryptTokens,
  setTokenKey,
} from "../../persistence/user-groups/token-reencryption-queries.js";
import { findSecretsUnderOtherKeys, reencryptSecrets } from "../../persistence/webhooks/endpoints.js";
import { MAX_KEY_AGE_MS } from "../accounts/key-cache.js";
import { bindingOf } from "../authentication/signing-keys.js";
import { replyBinding } from "../requests/idempotency.js";
import { readTemplateSecret, storeTemplateSecret } from "../session-templates/secrets.js";

/** Tokens per statement; small, so that rows are locked only for milliseconds. */
const BATCH_SIZE = 500;
/** More than there are. */
const MAX_ACCOUNTS = 1_000_000_000;

/** A row that cannot be decrypted, because it was altered or its key is not configured. */
export interface UnreadableRow {
  /** Absent for signing keys of the installation. */
  readonly tenant?: Tenant;
  readonly kind: TokenBinding["kind"] | "userGroup";
  readonly id: number | string;
  readonly reason: string;
}

interface ReencryptionResult {
  readonly tokens: number;
  readonly unreadable: readonly UnreadableRow[];
}

/**
 * Re-encrypts tokens, secrets of webhooks and session templates, stored replies and signing keys under the first configured key while the
 * service is running. The next run continues an interrupted one.
 */
export class TokenReencryption {
  /** By place, as repeated passes find them again. */
  readonly #unreadable = new Map<string, UnreadableRow>();

  constructor(
    private readonly db: Database,
    private readonly vault: TokenVault,
  ) {}

  /**
   * Runs until nothing that can be decrypted is encrypted under another key.
   * @param onProgress called with the number of tokens re-encrypted so far
   * @returns the number of re-encrypted tokens, and the rows that were skipped because they cannot be decrypted
   * @throws OperatorError before it changes anything if the database role lacks a privilege or the schema is newer than this version
   */
  async run(onProgress: (count: number) => void): Promise<ReencryptionResult> {
    this.#unreadable.clear();
    await requireKnownSchema(this.db);
    const missing = await findMissingGrants(this.db.of("operator"));
    if (missing.length > 0) throw missingPrivilege(missing.join(" and "));
    let total = 0;
    const keyId = this.vault.primaryKeyId;
    const accountIds = await findAccountIds(this.db.manager("read", "account_ids"), 0, MAX_ACCOUNTS);
    let changed = false;
    for (const accountId of accountIds) {
      const isSet = await this.db.entities({ accountId }, (manager) =>
        setTokenKey(manager, accountId, keyId),
      );
      changed ||= isSet;
    }
    // After this wait no process has the former key cached: new data is encrypted under the new one.
    if (changed) await sleep(MAX_KEY_AGE_MS);
    for (const accountId of accountIds) {
      for (const environment of ENVIRONMENTS) {
        await this.#reencryptSecrets({ accountId, environment });
        await this.#reencryptReplies({ accountId, environment });
        await this.#reencryptTemplates({ accountId, environment });
        total += await this.#reencryptTokens({ accountId, environment }, (count) =>
          onProgress(total + count),
        );
      }
    }
    await this.#reencryptSigningKeys(null, this.db.manager("write", "signing_keys_reencrypt"));
    return { tokens: total, unreadable: [...this.#unreadable.values()] };
  }

  /** Counts the rows that each key encrypts, by key ID, and the primary key's in any case. @throws OperatorError if the schema is newer */
  async countByKey(): Promise<ReadonlyMap<string, number>> {
    await requireKnownSchema(this.db);
    const operator = this.db.manager("read", "keys_of_rows");
    const counts = (await listSigningKeys(operator, null)).map(({ keyId }) => ({ keyId, rows: 1 }));
    for (const accountId of await findAccountIds(operator, 0, MAX_ACCOUNTS))
      for (const environment of ENVIRONMENTS)
        counts.push(...(await countRowsByKey(this.db.for({ accountId, environment }))));
    const total = new Map([[this.vault.primaryKeyId, 0]]);
    for (const { keyId, rows } of counts) total.set(keyId, rows + (total.get(keyId) ?? 0));
    return total;
  }

  async #reencryptSigningKeys(owner: KeyOwner, manager: EntityManager): Promise<void> {
    const keyId = this.vault.primaryKeyId;
    for (const old of await listSigningKeys(manager, owner)) {
      if (old.keyId === keyId) continue;
      const binding = bindingOf(owner, old.id);
      const row = { ...(owner && { tenant: owner }), kind: "signingKey", id: old.id } as const;
      const text = this.#read(row, () => this.vault.decrypt(old, binding));
      if (text === null) continue;
      await reencryptSigningKey(manager, owner, old.id, this.vault.encrypt(text, binding, keyId));
    }
  }

  async #reencryptTemplates(tenant: TenantKey): Promise<void> {
    const db = this.db.for(tenant);
    for (const old of await findTemplatesUnderOtherKeys(db, this.vault.primaryKeyId)) {
      const row = { tenant, kind: "sessionTemplate", id: old.id } as const;
      const secret = this.#read(row, () => readTemplateSecret(this.vault, tenant, old));
      if (!secret) continue;
      const owner = { ...tenant, tokenKeyId: this.vault.primaryKeyId };
      await reencryptTemplateSecret(db, old, storeTemplateSecret(this.vault, owner, secret));
    }
    await this.#reencryptSigningKeys(tenant, db.manager("write", "template_keys_reencrypt"));
  }

  async #reencryptSecrets(tenant: Tenant): Promise<void> {
    const keyId = this.vault.primaryKeyId;
    const db = this.db.for(tenant);
    for (const old of await findSecretsUnderOtherKeys(db, keyId)) {
      const binding = { accountId: tenant.accountId, id: old.id, kind: "webhookEndpoint" } as const;
      const decrypt = (ciphertext: Buffer) =>
        this.vault.decrypt({ keyId: old.secretKeyId, ciphertext }, binding);
      const encrypt = (text: string) => this.vault.encrypt(text, binding, keyId).ciphertext;
      const secrets = this.#read({ tenant, kind: "webhookEndpoint", id: old.id }, () => ({
        current: decrypt(old.secretCiphertext),
        previous: old.previousSecretCiphertext && decrypt(old.previousSecretCiphertext),
      }));
      if (!secrets) continue;
      await reencryptSecrets(db, old, {
        secretKeyId: keyId,
        secretCiphertext: encrypt(secrets.current),
        previousSecretCiphertext: secrets.previous === null ? null : encrypt(secrets.previous),
      });
    }
  }

  async #reencryptReplies(tenant: Tenant): Promise<void> {
    const keyId = this.vault.primaryKeyId;
    const db = this.db.for(tenant);
    await repeat<EncryptedReply>(
      (after) => findRepliesUnderOtherKeys(db, keyId, { after: after?.key ?? "", limit: BATCH_SIZE }),
      async (replies) => {
        let count = 0;
        for (const old of replies) {
          const binding = replyBinding(tenant, old.key);
          const row = { tenant, kind: "idempotentRequest", id: old.key } as const;
          const text = this.#read(row, () => this.vault.decrypt(old, binding));
          if (text === null) continue;
          await reencryptReply(db, old, this.vault.encrypt(text, binding, keyId));
          count += 1;
        }
        return count;
      },
    );
  }

  async #reencryptTokens(tenant: Tenant, onProgress: (count: number) => void): Promise<number> {
    let total = 0;
    const { primaryTokenKeyId } = this.vault;
    const db = this.db.for(tenant);
    await repeat<EncryptedRow>(
      (after) => findTokensUnderOtherKeys(db, after?.id ?? 0, primaryTokenKeyId, BATCH_SIZE),
      async (rows) => {
        const count = await this.#reencryptBatch(tenant, rows);
        total += count;
        onProgress(total);
        return count;
      },
    );
    return total;
  }

  async #reencryptBatch(tenant: Tenant, rows: readonly EncryptedRow[]): Promise<number> {
    const { accountId } = tenant;
    const owner = { accountId, tokenKeyId: this.vault.primaryKeyId };
    const tokens = rows.flatMap((old) => {
      const hex = Buffer.concat([old.tokenCiphertext, old.tokenLookup]).toString("hex");
      const stored = { keyId: old.tokenKeyId, hex };
      const row = { tenant, kind: "userGroup", id: old.id } as const;
      const token = this.#read(row, () => this.vault.decryptToken(stored, tenant));
      return token === null ? [] : [{ old, token: this.vault.encryptToken(token, owner) }];
    });
    if (tokens.length === 0) return 0;
    return this.db.for(tenant).transaction(async (transaction) => {
      const count = await reencryptTokens(transaction, this.vault.primaryTokenKeyId, tokens);
      const pairs = tokens.map(({ old, token }) => ({ old: old.tokenLookup, new: token.lookup }));
      await rehashImportedTokens(transaction, pairs);
      return count;
    });
  }

  /** Decrypts a row. @returns null, and records the row, if that fails */
  #read<Text>(row: Omit<UnreadableRow, "reason">, decrypt: () => Text): Text | null {
    try {
      return decrypt();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const place = [row.tenant?.accountId, row.tenant?.environment, row.kind, row.id].join("/");
      this.#unreadable.set(place, { ...row, reason });
      return null;
    }
  }
}

/**
 * Passes over the rows in batches. Requests in progress may still write rows before those of the pass, so it repeats until a pass changes
 * none: only rows that cannot be decrypted are left.
 * @param find returns the rows after one
 * @param change returns the number of changed rows
 */
async function repeat<Row>(
  find: (after: Row | undefined) => Promise<readonly Row[]>,
  change: (rows: readonly Row[]) => Promise<number>,
): Promise<void> {
  for (let changed = 1; changed > 0; ) {
    changed = 0;
    for (let rows = await find(undefined); rows.length > 0; rows = await find(rows.at(-1)))
      changed += await change(rows);
  }
}
