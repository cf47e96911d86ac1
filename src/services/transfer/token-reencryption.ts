import { setTimeout as sleep } from "node:timers/promises";
import type { Tenant } from "../../domain/accounts/caller.js";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import type { TokenVault } from "../../domain/accounts/token-vault.js";
import type { Database } from "../../persistence/database/database.js";
import {
  findRepliesSealedOtherwise,
  resealReply,
} from "../../persistence/requests/idempotent-request-queries.js";
import { rehashBroughtTokens } from "../../persistence/user-groups/brought-token-queries.js";
import {
  findSealedOtherwise,
  findSecretsSealedOtherwise,
  listAccountIds,
  resealSecrets,
  resealTokens,
  type SealedRow,
  setTokenKey,
} from "../../persistence/user-groups/token-reencryption-queries.js";
import { MAX_KEY_CACHE_MS } from "../accounts/key-cache.js";
import { replyBinding } from "../requests/idempotency.js";

/** How many tokens are sealed anew with one statement: their rows are locked for some milliseconds. */
const BATCH = 500;

/**
 * Re-encrypts tokens, webhook secrets and stored replies under the first configured key, and tokens of the former format in the
 * current one, while the service runs. An interrupted run is continued by the next one.
 */
export class TokenReencryption {
  readonly #db: Database;
  readonly #vault: TokenVault;

  constructor(db: Database, vault: TokenVault) {
    this.#db = db;
    this.#vault = vault;
  }

  /**
   * Works until nothing is sealed under another key.
   * @param onProgress is told of how many tokens were sealed anew so far
   * @returns how many tokens
   */
  async run(onProgress: (count: number) => void): Promise<number> {
    let total = 0;
    const keyId = this.#vault.primaryKeyId;
    const accountIds = await listAccountIds(this.#db.of("operator"));
    let changed = false;
    for (const accountId of accountIds) {
      if (await setTokenKey(this.#db.of({ accountId }), accountId, keyId)) changed = true;
    }
    // Then no process remembers the former key, and what is new is sealed under the new one.
    if (changed) await sleep(MAX_KEY_CACHE_MS);
    for (const accountId of accountIds) {
      for (const environment of ENVIRONMENTS) {
        await this.#resealSecrets({ accountId, environment });
        await this.#resealReplies({ accountId, environment });
        total += await this.#reseal({ accountId, environment }, (count) => onProgress(total + count));
      }
    }
    return total;
  }

  async #resealSecrets(tenant: Tenant): Promise<void> {
    const keyId = this.#vault.primaryKeyId;
    const db = this.#db.for(tenant);
    for (const old of await findSecretsSealedOtherwise(db, keyId)) {
      const binding = { accountId: tenant.accountId, id: old.id, of: "webhookEndpoint" } as const;
      const reseal = (ciphertext: Buffer) =>
        this.#vault.seal(this.#vault.open({ keyId: old.keyId, ciphertext }, binding), binding, keyId)
          .ciphertext;
      const previous = old.previous && reseal(old.previous);
      await resealSecrets(db, old, { keyId, current: reseal(old.current), previous });
    }
  }

  async #resealReplies(tenant: Tenant): Promise<void> {
    const keyId = this.#vault.primaryKeyId;
    const db = this.#db.for(tenant);
    for (;;) {
      const replies = await findRepliesSealedOtherwise(db, keyId, BATCH);
      if (replies.length === 0) return;
      for (const old of replies) {
        const binding = replyBinding(tenant, old.key);
        await resealReply(db, old, this.#vault.seal(this.#vault.open(old, binding), binding, keyId));
      }
    }
  }

  async #reseal(tenant: Tenant, onProgress: (count: number) => void): Promise<number> {
    let count = 0;
    let afterId = 0;
    for (;;) {
      const rows = await findSealedOtherwise(
        this.#db.for(tenant),
        afterId,
        this.#vault.primaryTokenKeyId,
        BATCH,
      );
      const last = rows.at(-1);
      // Requests under way may still write under the old key behind us: the last pass finds none from the start.
      if (!last && afterId === 0) return count;
      afterId = last?.id ?? 0;
      if (!last) continue;
      count += await this.#resealBatch(tenant, rows);
      onProgress(count);
    }
  }

  async #resealBatch(tenant: Tenant, rows: readonly SealedRow[]): Promise<number> {
    const { accountId } = tenant;
    const owner = { accountId, tokenKeyId: this.#vault.primaryKeyId };
    const tokens = rows.map((old) => {
      const stored = { keyId: old.keyId, hex: Buffer.concat([old.ciphertext, old.lookup]).toString("hex") };
      const token = this.#vault.decryptToken(stored, { accountId, id: old.id });
      return { old, token: this.#vault.encryptToken(token, owner) };
    });
    return this.#db.for(tenant).transaction(async (transaction) => {
      const count = await resealTokens(transaction, this.#vault.primaryTokenKeyId, tokens);
      const pairs = tokens.map(({ old, token }) => ({ old: old.lookup, new: token.lookup }));
      await rehashBroughtTokens(transaction, pairs);
      return count;
    });
  }
}
