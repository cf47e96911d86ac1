import type { Caller } from "../../domain/accounts/caller.js";
import { findActiveKeyIds } from "../../persistence/accounts/api-key-queries.js";
import type { Database } from "../../persistence/database/database.js";

/** How often the keys of those who stay connected are looked at. */
const INTERVAL_MS = 1_000;

/**
 * Ends those who stay connected on an API key when that is revoked. As the notification of that may be lost, it also asks the database
 * once a second.
 */
export class KeyWatch {
  readonly #db: Database;
  readonly #watchers = new Map<number, { readonly accountId: number; readonly onEnd: Set<() => void> }>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Calls `onEnd` once the caller's key has ended. @returns what ends the watch */
  watch({ accountId, keyId }: Pick<Caller, "accountId" | "keyId">, onEnd: () => void): () => void {
    const watched = this.#watchers.get(keyId) ?? { accountId, onEnd: new Set() };
    this.#watchers.set(keyId, watched);
    watched.onEnd.add(onEnd);
    this.#timer ??= setInterval(() => void this.#look(), INTERVAL_MS).unref();
    return () => {
      watched.onEnd.delete(onEnd);
      if (watched.onEnd.size === 0) this.#watchers.delete(keyId);
      if (this.#watchers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Ends all who are connected on a key. */
  end(keyId: number): void {
    for (const end of [...(this.#watchers.get(keyId)?.onEnd ?? [])]) end();
  }

  /** One statement, however many are connected on however many keys. */
  async #look(): Promise<void> {
    // One at a time: a database that does not answer must not cost all connections.
    if (this.#isLooking) return;
    this.#isLooking = true;
    const watched = [...this.#watchers];
    let active: ReadonlySet<number>;
    try {
      active = await findActiveKeyIds(
        this.#db.of("operator"),
        watched.map(([keyId, { accountId }]) => ({ accountId, keyId })),
      );
    } catch {
      // Out of reach: nobody learns anything new meanwhile, and the next look will tell.
      return;
    } finally {
      this.#isLooking = false;
    }
    for (const [keyId] of watched) if (!active.has(keyId)) this.end(keyId);
  }
}
