import type { Tenant } from "../../domain/accounts/caller.js";
import { parseInternalId } from "../../domain/shared/internal-id.js";
import type { NotificationChannel } from "../../persistence/database/notification-channel.js";
import type { KeyCache } from "./key-cache.js";
import type { KeyWatch } from "./key-watch.js";

/** Ends the use of an API key at once when it is revoked, by this process or by another one. */
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
        if (keyId !== null) this.#end(keyId);
      },
    });
  }

  /** Ends the use of a key that was revoked here, once that is committed: without waiting for the notification. */
  revoked(tenant: Tenant, keyId: number): void {
    if (tenant.transaction) tenant.transaction.afterCommit(() => this.#end(keyId));
    else this.#end(keyId);
  }

  #end(keyId: number): void {
    this.#cache.drop(keyId);
    this.#watch.end(keyId);
  }
}
