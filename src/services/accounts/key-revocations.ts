import type { Tenant } from "../../domain/accounts/caller.js";
import { parseInternalId } from "../../domain/shared/internal-id.js";
import type { NotificationChannel } from "../../persistence/database/notification-channel.js";
import type { KeyCache } from "./key-cache.js";
import type { KeyWatch } from "./key-watch.js";

/** Invalidates API keys in this process as soon as any process revokes them. */
export class KeyRevocations {
  readonly #cache: KeyCache;
  readonly #watch: KeyWatch;

  constructor(cache: KeyCache, watch: KeyWatch, channel: NotificationChannel) {
    this.#cache = cache;
    this.#watch = watch;
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
    this.#cache.evict(keyId);
    this.#watch.end(keyId);
  }
}
