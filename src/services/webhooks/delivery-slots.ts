import type { ClaimGrant, DueEndpoint } from "../../persistence/webhooks/outbox.js";

/** How many deliveries may be in progress in one process. */
export interface SlotLimits {
  readonly total: number;
  readonly perAccount: number;
  readonly perEndpoint: number;
}

/** Endpoints that did not answer last time, or were never called, may use this part of all slots, and of those of their account. */
const UNPROVEN_SHARE = 0.5;

class Usage {
  used = 0;
  unproven = 0;

  hasRoom(limit: number, { hasAnswered }: DueEndpoint): boolean {
    if (this.used >= limit) return false;
    return hasAnswered || this.unproven < Math.max(1, Math.floor(limit * UNPROVEN_SHARE));
  }

  add({ hasAnswered }: DueEndpoint, count: 1 | -1): void {
    this.used += count;
    if (!hasAnswered) this.unproven += count;
  }
}

/**
 * The deliveries that may be in progress at once in this process, shared out so that receivers that hang cannot take the slots of
 * others: by account, by endpoint, and with a part that is kept for endpoints that answered last time.
 */
export class DeliverySlots {
  readonly #limits: SlotLimits;
  readonly #all = new Usage();
  readonly #accounts = new Map<number, Usage>();
  readonly #endpoints = new Map<number, number>();

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get used(): number {
    return this.#all.used;
  }

  /** Takes slots for these endpoints, one for each of them in turn, for as long as there are any. */
  take(endpoints: Iterable<DueEndpoint>): ClaimGrant[] {
    const grants = new Map<DueEndpoint, number>();
    let waiting = [...endpoints];
    while (waiting.length > 0) {
      waiting = waiting.filter((endpoint) => this.#takeOne(endpoint));
      for (const endpoint of waiting) grants.set(endpoint, (grants.get(endpoint) ?? 0) + 1);
    }
    return [...grants].map(([endpoint, slots]) => ({ endpoint, slots }));
  }

  /** Gives a slot back. @param endpoint as it was when the slot was taken */
  release(endpoint: DueEndpoint): void {
    const { accountId, endpointId } = endpoint;
    this.#all.add(endpoint, -1);
    const account = this.#accounts.get(accountId);
    account?.add(endpoint, -1);
    if (account?.used === 0) this.#accounts.delete(accountId);
    const left = (this.#endpoints.get(endpointId) ?? 0) - 1;
    if (left > 0) this.#endpoints.set(endpointId, left);
    else this.#endpoints.delete(endpointId);
  }

  #takeOne(endpoint: DueEndpoint): boolean {
    const { accountId, endpointId, isProbed } = endpoint;
    const { total, perAccount, perEndpoint } = this.#limits;
    const account = this.#accounts.get(accountId) ?? new Usage();
    const own = this.#endpoints.get(endpointId) ?? 0;
    if (own >= (isProbed ? 1 : perEndpoint)) return false;
    if (!this.#all.hasRoom(total, endpoint) || !account.hasRoom(perAccount, endpoint)) return false;
    this.#all.add(endpoint, 1);
    account.add(endpoint, 1);
    this.#accounts.set(accountId, account);
    this.#endpoints.set(endpointId, own + 1);
    return true;
  }
}
