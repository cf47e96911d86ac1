import { LRUCache } from "lru-cache";
import type { Caller, Tenant } from "../../domain/accounts/caller.js";
import { type Deadline, SharedDeadline } from "../../domain/shared/deadline.js";
import { parseInternalId } from "../../domain/shared/internal-id.js";
import { type ActiveKey, findActiveKeyIds } from "../../persistence/accounts/api-key-queries.js";
import type { Database } from "../../persistence/database/database.js";
import type { NotificationChannel } from "../../persistence/database/notification-channel.js";
import type { CountLookup } from "../../telemetry/metrics.js";

/** Maximum time that a revoked key may still work if its notification is lost (decision 13). */
export const MAX_KEY_CACHE_MS = 1000;

/** How long a key is cached while notifications arrive; then its account's settings are read again. */
export const MAX_KEY_AGE_MS = 5000;

const MAX_KEYS = 10_000;

interface RevocationNotifications {
  /** The time since which every revocation was notified, in milliseconds of `performance.now()`. */
  readonly completeSince: number;
}

interface Entry {
  readonly key: Promise<ActiveKey | null>;
  /** The key, once the query has succeeded. */
  found: ActiveKey | null;
  /** Deadline of the query while it is running. */
  deadline: SharedDeadline | undefined;
  /** Before its query, in milliseconds of `performance.now()`. */
  readonly readAt: number;
}

/**
 * Caches valid API keys for a short time, to save a query per request. Revoked keys are removed on notification; while notifications may
 * be missing, keys are cached for a shorter time (decision 13).
 */
export class KeyCache {
  readonly #entries = new LRUCache<string, Entry>({ max: MAX_KEYS });

  /**
   * @param ttlMs cache duration while notifications may be missing; 0 disables the cache
   */
  constructor(
    private readonly ttlMs: number,
    private readonly notifications: RevocationNotifications,
    private readonly countLookup: CountLookup,
  ) {}

  /**
   * Returns the valid key with this secret, or null.
   * @param deadline of the request
   * @param find queries the database, with a deadline shared by all requests that wait for this query
   */
  async find(
    secret: string,
    deadline: Deadline | undefined,
    find: (deadline: Deadline | undefined) => Promise<ActiveKey | null>,
  ): Promise<ActiveKey | null> {
    if (this.ttlMs === 0) return find(deadline);
    const now = performance.now();
    const cached = this.#entries.get(secret);
    if (cached && this.#isFresh(cached, now)) {
      this.countLookup("hit");
      cached.deadline?.join(deadline);
      return cached.key;
    }
    this.countLookup("miss");
    // Measure from before the query: its result may be as old as that.
    const shared = new SharedDeadline([deadline]);
    const entry: Entry = {
      key: find(shared),
      found: null,
      deadline: shared,
      readAt: now,
    };
    this.#entries.set(secret, entry);
    const removeEntry = () => {
      if (this.#entries.get(secret) === entry) this.#entries.delete(secret);
    };
    // Cache neither unknown keys nor errors.
    entry.key.then((key) => {
      entry.found = key;
      // Release references to the requests.
      entry.deadline = undefined;
      if (!key) removeEntry();
    }, removeEntry);
    return entry.key;
  }

  /** Returns the cached valid key with this secret, or null, without I/O. */
  getCached(secret: string): ActiveKey | null {
    const cached = this.#entries.get(secret);
    if (!cached?.found || !this.#isFresh(cached, performance.now())) return null;
    this.countLookup("hit");
    return cached.found;
  }

  #isFresh({ readAt, found }: Entry, now: number): boolean {
    if (found?.expiresAt && found.expiresAt.getTime() <= Date.now()) return false;
    if (now < readAt + this.ttlMs) return true;
    return now < readAt + MAX_KEY_AGE_MS && readAt >= this.notifications.completeSince;
  }

  /** Removes a revoked key. */
  evict(keyId: number): void {
    for (const [secret, { found }] of this.#entries.entries()) {
      // Also remove running queries: they may have read the key before it was revoked.
      if (!found || found.keyId === keyId) this.#entries.delete(secret);
    }
  }
}

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
        this.db.manager("read", "api_keys_active"),
        watched.map(([, { accountId }]) => accountId),
        watched.map(([keyId]) => keyId),
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
