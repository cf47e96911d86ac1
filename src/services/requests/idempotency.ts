import { createHash } from "node:crypto";
import type { Tenant, Writer } from "../../domain/accounts/caller.js";
import type { TokenBinding, TokenVault } from "../../domain/accounts/token-vault.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { Database } from "../../persistence/database/database.js";
import {
  claimIdempotencyKey,
  findStoredReply,
  keepReply,
} from "../../persistence/requests/idempotent-request-queries.js";
import { isLockTimeout } from "../../persistence/shared/database-error.js";
import { TenantDb } from "../../persistence/shared/tenant-db.js";

/** A request that is to count once, however often it comes. */
export interface IdempotentRequest {
  /** What its sender calls it. */
  readonly key: string;
  /** What it asks for: another request under the same key is refused. */
  readonly content: readonly unknown[];
}

/** A reply, as JSON has it, and whether it is that of an earlier request. */
export interface IdempotentReply {
  readonly reply: unknown;
  readonly replayed: boolean;
}

/** Has requests count once (decision 39): the reply is stored in the transaction of what was done. */
export class Idempotency {
  readonly #db: Database;
  readonly #vault: TokenVault;
  /** The requests under way in this process: one that waits for another needs no connection meanwhile. */
  readonly #inFlight = new Map<string, Promise<unknown>>();

  constructor(db: Database, vault: TokenVault) {
    this.#db = db;
    this.#vault = vault;
  }

  /**
   * Does the work in one transaction and stores its reply, or gives the reply that is stored for the request.
   * @param work does all it does for the writer it is given; what it throws undoes everything, and nothing is stored
   * @throws DomainError `idempotency_mismatch` when the key is that of another request; `idempotency_key_in_use` when that is
   *   still under way; what `work` throws
   */
  async once<Reply extends object>(
    writer: Writer,
    request: IdempotentRequest,
    work: (writer: Writer) => Promise<Reply>,
  ): Promise<IdempotentReply> {
    const place = [writer.accountId, writer.environment, request.key].join("/");
    for (let before = this.#inFlight.get(place); before; before = this.#inFlight.get(place)) await before;
    const outcome = this.#once(writer, request, work);
    const end = outcome.then(
      () => undefined,
      () => undefined,
    );
    this.#inFlight.set(place, end);
    try {
      return await outcome;
    } finally {
      this.#inFlight.delete(place);
    }
  }

  async #once<Reply extends object>(
    writer: Writer,
    { key, content }: IdempotentRequest,
    work: (writer: Writer) => Promise<Reply>,
  ): Promise<IdempotentReply> {
    // The scope too: a reply holds what not every key of the account may see.
    const fingerprint = createHash("sha256")
      .update(JSON.stringify([writer.scope, ...content]))
      .digest();
    return this.#db.transaction(writer, async (transaction) => {
      const db = new TenantDb(writer, transaction, this.#db.orm);
      if (!(await claim(db, key, fingerprint)))
        return { reply: await this.#stored(db, writer, key, fingerprint), replayed: true };
      const reply = await work({ ...writer, transaction });
      const binding = replyBinding(writer, key);
      await keepReply(db, key, this.#vault.encrypt(JSON.stringify(reply), binding, writer.tokenKeyId));
      return { reply, replayed: false };
    });
  }

  async #stored(db: TenantDb, writer: Writer, key: string, fingerprint: Buffer): Promise<unknown> {
    const stored = await findStoredReply(db, key);
    if (!stored)
      throw new DomainError("unavailable", "The stored reply has just expired.", { retryAfter: 1 });
    if (!stored.fingerprint.equals(fingerprint)) {
      throw new DomainError(
        "idempotency_mismatch",
        "This Idempotency-Key was used for another request. Use a new one for each request.",
      );
    }
    return JSON.parse(this.#vault.open(stored, replyBinding(writer, key)));
  }
}

/** What a encrypted reply is bound to. */
export function replyBinding({ accountId, environment }: Tenant, key: string): TokenBinding {
  return { accountId, id: `${environment}/${key}`, of: "idempotentRequest" };
}

async function claim(db: TenantDb, key: string, fingerprint: Buffer): Promise<boolean> {
  try {
    return await claimIdempotencyKey(db, key, fingerprint);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new DomainError(
      "idempotency_key_in_use",
      "A request with this Idempotency-Key is still under way. Try again shortly.",
      { retryAfter: 1, cause: error },
    );
  }
}
