import { setTimeout as sleep } from "node:timers/promises";
import type { Tenant } from "../../domain/accounts/caller.js";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import { missingPrivilege } from "../../domain/shared/operator-error.js";
import { findAccountIds } from "../../persistence/accounts/account-queries.js";
import { listSigningKeys, reencryptSigningKey } from "../../persistence/authentication/signing-keys.js";
import type { Database } from "../../persistence/database/database.js";
import {
  findRepliesUnderOtherKeys,
  reencryptReply,
} from "../../persistence/requests/idempotent-request-queries.js";
import { rehashImportedTokens } from "../../persistence/user-groups/imported-token-queries.js";
import {
  countRowsByKey,
  type EncryptedRow,
  findMissingGrants,
  findSecretsUnderOtherKeys,
  findTokensUnderOtherKeys,
  reencryptSecrets,
  reencryptTokens,
  setTokenKey,
} from "../../persistence/user-groups/token-reencryption-queries.js";
import { MAX_KEY_AGE_MS } from "../accounts/key-cache.js";
import { bindingOf } from "../authentication/signing-keys.js";
import { replyBinding } from "../requests/idempotency.js";

/** Tokens per statement; small, so that rows are locked only for milliseconds. */
const BATCH_SIZE = 500;
/** More than there are. */
const MAX_ACCOUNTS = 1_000_000_000;

/**
 * Re-encrypts tokens, webhook secrets, stored replies and signing keys under the first configured key while the service is running. The next
 * run continues an interrupted one.
 */
export class TokenReencryption {
  constructor(
    private readonly db: Database,
    private readonly vault: TokenVault,
  ) {}

  /**
   * Runs until nothing is encrypted under another key.
   * @param onProgress called with the number of tokens re-encrypted so far
   * @returns the number of re-encrypted tokens
   * @throws OperatorError before it changes anything if the database role lacks a privilege
   */
  async run(onProgress: (count: number) => void): Promise<number> {
    const missing = await findMissingGrants(this.db.of("operator"));
    if (missing.length > 0) throw missingPrivilege(missing.join(" and "));
    let total = 0;
    const keyId = this.vault.primaryKeyId;
    const accountIds = await findAccountIds(this.db.of("operator"), 0, MAX_ACCOUNTS);
    let changed = false;
    for (const accountId of accountIds) {
      if (await setTokenKey(this.db.of({ accountId }), accountId, keyId)) changed = true;
    }
    // After this wait no process has the former key cached: new data is encrypted under the new one.
    if (changed) await sleep(MAX_KEY_AGE_MS);
    for (const accountId of accountIds) {
      for (const environment of ENVIRONMENTS) {
        await this.#reencryptSecrets({ accountId, environment });
        await this.#reencryptReplies({ accountId, environment });
        total += await this.#reencrypt({ accountId, environment }, (count) => onProgress(total + count));
      }
    }
    await this.#reencryptSigningKeys();
    return total;
  }

  /** Counts the rows that each key encrypts, by key ID, and the primary key's in any case. */
  async countByKey(): Promise<ReadonlyMap<string, number>> {
    const operator = this.db.of("operator");
    const counts = (await listSigningKeys(operator)).map(({ keyId }) => ({ keyId, rows: 1 }));
    for (const accountId of await findAccountIds(operator, 0, MAX_ACCOUNTS))
      for (const environment of ENVIRONMENTS)
        counts.push(...(await countRowsByKey(this.db.for({ accountId, environment }))));
    const total = new Map([[this.vault.primaryKeyId, 0]]);
    for (const { keyId, rows } of counts) total.set(keyId, rows + (total.get(keyId) ?? 0));
    return total;
  }

  async #reencryptSigningKeys(): Promise<void> {
    const keyId = this.vault.primaryKeyId;
    const db = this.db.of("operator");
    for (const old of await listSigningKeys(db)) {
      const binding = bindingOf(old.id);
      if (old.keyId === keyId) continue;
      await reencryptSigningKey(
        db,
        old.id,
        this.vault.encrypt(this.vault.decrypt(old, binding), binding, keyId),
      );
    }
  }

  async #reencryptSecrets(tenant: Tenant): Promise<void> {
    const keyId = this.vault.primaryKeyId;
    const db = this.db.for(tenant);
    for (const old of await findSecretsUnderOtherKeys(db, keyId)) {
      const binding = { accountId: tenant.accountId, id: old.id, kind: "webhookEndpoint" } as const;
      const reencrypt = (ciphertext: Buffer) =>
        this.vault.encrypt(this.vault.decrypt({ keyId: old.keyId, ciphertext }, binding), binding, keyId)
          .ciphertext;
      const previous = old.previous && reencrypt(old.previous);
      await reencryptSecrets(db, old, { keyId, current: reencrypt(old.current), previous });
    }
  }

  async #reencryptReplies(tenant: Tenant): Promise<void> {
    const keyId = this.vault.primaryKeyId;
    const db = this.db.for(tenant);
    for (;;) {
      const replies = await findRepliesUnderOtherKeys(db, keyId, BATCH_SIZE);
      if (replies.length === 0) return;
      for (const old of replies) {
        const binding = replyBinding(tenant, old.key);
        await reencryptReply(db, old, this.vault.encrypt(this.vault.decrypt(old, binding), binding, keyId));
      }
    }
  }

  async #reencrypt(tenant: Tenant, onProgress: (count: number) => void): Promise<number> {
    let count = 0;
    let afterId = 0;
    for (;;) {
      const rows = await findTokensUnderOtherKeys(
        this.db.for(tenant),
        afterId,
        this.vault.primaryTokenKeyId,
        BATCH_SIZE,
      );
      const last = rows.at(-1);
      // Requests in progress may still write rows under the old key with lower IDs: repeat until a pass from the start finds none.
      if (!last && afterId === 0) return count;
      afterId = last?.id ?? 0;
      if (!last) continue;
      count += await this.#reencryptBatch(tenant, rows);
      onProgress(count);
    }
  }

  async #reencryptBatch(tenant: Tenant, rows: readonly EncryptedRow[]): Promise<number> {
    const { accountId } = tenant;
    const owner = { accountId, tokenKeyId: this.vault.primaryKeyId };
    const tokens = rows.map((old) => {
      const stored = { keyId: old.keyId, hex: Buffer.concat([old.ciphertext, old.lookup]).toString("hex") };
      const token = this.vault.decryptToken(stored, tenant);
      return { old, token: this.vault.encryptToken(token, owner) };
    });
    return this.db.for(tenant).transaction(async (transaction) => {
      const count = await reencryptTokens(transaction, this.vault.primaryTokenKeyId, tokens);
      const pairs = tokens.map(({ old, token }) => ({ old: old.lookup, new: token.lookup }));
      await rehashImportedTokens(transaction, pairs);
      return count;
    });
  }
}
