import { createHash } from "node:crypto";
import type { Tenant, Writer } from "../../domain/accounts/caller.js";
import type { TokenBinding, TokenVault } from "../../domain/accounts/token-vault.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { Database } from "../../persistence/database/database.js";
import {
  claimIdempotencyKey,
  findStoredReply,
  saveReply,
} from "../../persistence/requests/idempotent-request-queries.js";
import { isLockTimeout } from "../../persistence/shared/database-error.js";
import { TenantDb } from "../../persistence/shared/tenant-db.js";

/** A request that is applied at most once. */
interface IdempotentRequest {
  /** Idempotency key chosen by the client. */
  readonly key: string;
  /** Fingerprinted: a request with the same key but different content is rejected. */
  readonly content: readonly unknown[];
}

/** A JSON reply; `replayed` if it was stored by an earlier request. */
interface IdempotentReply<Reply> {
  readonly reply: Reply;
  readonly replayed: boolean;
}

/** Applies requests at most once (decision 39) by storing each reply in the transaction of its changes. */
export class Idempotency {
  /** Requests in progress in this process: a duplicate waits here, without holding a database connection. */
  readonly #inFlight = new Map<string, Promise<unknown>>();

  constructor(
    private readonly db: Database,
    private readonly vault: TokenVault,
  ) {}

  /**
   * Runs `work` in a transaction and stores its reply, or returns the stored reply of an earlier request.
   * @param work must use the writer passed to it, which carries the transaction; if it throws, everything is rolled back
   * @throws DomainError `idempotency_mismatch` when the key was used for a different request; `idempotency_key_in_use` while a request
   *   with the key is in progress; errors of `work`
   */
  async once<Reply extends object>(
    writer: Writer,
    request: IdempotentRequest,
    work: (writer: Writer) => Promise<Reply>,
  ): Promise<IdempotentReply<Reply>> {
    const requestKey = [writer.accountId, writer.environment, request.key].join("/");
    for (let previous = this.#inFlight.get(requestKey); previous; previous = this.#inFlight.get(requestKey))
      await previous;
    const outcome = this.#once(writer, request, work);
    const settled = outcome.then(
      () => undefined,
      () => undefined,
    );
    this.#inFlight.set(requestKey, settled);
    try {
      return await outcome;
    } finally {
      this.#inFlight.delete(requestKey);
    }
  }

  async #once<Reply extends object>(
    writer: Writer,
    { key, content }: IdempotentRequest,
    work: (writer: Writer) => Promise<Reply>,
  ): Promise<IdempotentReply<Reply>> {
    // Include the scope: a reply may contain data that other keys of the account must not read.
    const fingerprint = createHash("sha256")
      .update(JSON.stringify([writer.scope, ...content]))
      .digest();
    return this.db.transaction(writer, async (transaction) => {
      const db = new TenantDb(writer, transaction, this.db.orm);
      if (!(await claim(db, key, fingerprint)))
        return { reply: await this.#loadReply<Reply>(db, writer, key, fingerprint), replayed: true };
      const reply = await work({ ...writer, transaction });
      const binding = replyBinding(writer, key);
      const encrypted = this.vault.encrypt(JSON.stringify(reply), binding, writer.tokenKeyId);
      await saveReply(db, key, encrypted, [...transaction.userGroupIds]);
      return { reply, replayed: false };
    });
  }

  async #loadReply<Reply>(db: TenantDb, writer: Writer, key: string, fingerprint: Buffer): Promise<Reply> {
    const stored = await findStoredReply(db, key);
    if (!stored)
      throw new DomainError("unavailable", "The stored reply has just expired. Try again.", {
        retryAfter: 1,
      });
    if (!stored.fingerprint.equals(fingerprint)) {
      throw new DomainError(
        "idempotency_mismatch",
        "This Idempotency-Key was used for another request. Use a new key for each request.",
      );
    }
    return JSON.parse(this.vault.decrypt(stored, replyBinding(writer, key)));
  }
}

/** Returns the binding (additional authenticated data) of an encrypted reply. */
export function replyBinding({ accountId, environment }: Tenant, key: string): TokenBinding {
  return { accountId, id: `${environment}/${key}`, kind: "idempotentRequest" };
}

async function claim(db: TenantDb, key: string, fingerprint: Buffer): Promise<boolean> {
  try {
    return await claimIdempotencyKey(db, key, fingerprint);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new DomainError(
      "idempotency_key_in_use",
      "A request with this Idempotency-Key is still in progress. Try again shortly.",
      { retryAfter: 1, cause: error },
    );
  }
}
