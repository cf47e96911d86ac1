import type { Caller, Tenant } from "../../domain/accounts/caller.js";
import { parseInternalId } from "../../domain/shared/internal-id.js";
import { findActiveKeyIds } from "../../persistence/accounts/api-key-queries.js";
import type { Database } from "../../persistence/database/database.js";
import type { NotificationChannel } from "../../persistence/database/notification-channel.js";
import type { KeyCache } from "./key-cache.js";

/** Interval for checking the keys of long-lived connections. */
const INTERVAL_MS = 1_000;

/**
 * Closes long-lived connections when their API key is revoked. Polls the database once a second, because a notification may be lost.
 */
export class KeyWatch {
  readonly #watchers = new Map<number, { readonly accountId: number; readonly onEnd: Set<() => void> }>();
  #timer: NodeJS.Timeout | undefined;
  #isPolling = false;

  constructor(private readonly db: Database) {}

  /** Calls `onEnd` when the caller's key becomes invalid. @returns a function that stops watching */
  watch({ accountId, keyId }: Pick<Caller, "accountId" | "keyId">, onEnd: () => void): () => void {
    const watched = this.#watchers.get(keyId) ?? { accountId, onEnd: new Set() };
    this.#watchers.set(keyId, watched);
    watched.onEnd.add(onEnd);
    this.#timer ??= setInterval(() => void this.#poll(), INTERVAL_MS).unref();
    return () => {
      watched.onEnd.delete(onEnd);
      if (watched.onEnd.size === 0) this.#watchers.delete(keyId);
      if (this.#watchers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Closes all connections authenticated with a key. */
  end(keyId: number): void {
    for (const end of [...(this.#watchers.get(keyId)?.onEnd ?? [])]) end();
  }

  /** Checks all watched keys with one statement. */
  async #poll(): Promise<void> {
    // One query at a time: an unresponsive database must not exhaust the connection pool.
    if (this.#isPolling) return;
    this.#isPolling = true;
    const watched = [...this.#watchers];
    let active: ReadonlySet<number>;
    try {
      active = await findActiveKeyIds(
        this.db.of("operator"),
        watched.map(([keyId, { accountId }]) => ({ accountId, keyId })),
      );
    } catch {
      // The database is unreachable, so no changes are delivered meanwhile; the next poll retries.
      return;
    } finally {
      this.#isPolling = false;
    }
    for (const [keyId] of watched) if (!active.has(keyId)) this.end(keyId);
  }
}

/** Invalidates API keys in this process as soon as any process revokes them. */
export class KeyRevocations {
  constructor(
    private readonly cache: KeyCache,
    private readonly watch: KeyWatch,
    channel: NotificationChannel,
  ) {
    channel.addListener({
      channel: "api_key_revoked",
      onPayload: (payload) => {
        const keyId = parseInternalId(payload);
        if (keyId !== null) this.#invalidate(keyId);
      },
    });
  }

  /** Invalidates a key that this process revoked, after commit and without waiting for the notification. */
  revoked(tenant: Tenant, keyId: number): void {
    if (tenant.transaction) tenant.transaction.afterCommit(() => this.#invalidate(keyId));
    else this.#invalidate(keyId);
  }

  #invalidate(keyId: number): void {
    this.cache.evict(keyId);
    this.watch.end(keyId);
  }
}
