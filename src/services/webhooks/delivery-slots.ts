import type { ClaimGrant, DueEndpoint } from "../../persistence/webhooks/outbox.js";

/** Maximum concurrent deliveries of one process. */
export interface SlotLimits {
  readonly total: number;
  readonly perAccount: number;
  readonly perEndpoint: number;
}

/** Share of the total and of each account's slots for endpoints that did not answer last time or were never called. */
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
 * Limits concurrent deliveries per process, account and endpoint, and reserves a share for endpoints that answered last time, so that
 * unresponsive receivers cannot occupy the slots of others.
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

  /** Allocates free slots to these endpoints, round-robin. */
  take(endpoints: Iterable<DueEndpoint>): ClaimGrant[] {
    const grants = new Map<DueEndpoint, number>();
    let waiting = [...endpoints];
    while (waiting.length > 0) {
      waiting = waiting.filter((endpoint) => this.#takeOne(endpoint));
      for (const endpoint of waiting) grants.set(endpoint, (grants.get(endpoint) ?? 0) + 1);
    }
    return [...grants].map(([endpoint, slots]) => ({ endpoint, slots }));
  }

  /** Releases a slot. @param endpoint the value that was passed to `take` */
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
    const inUse = this.#endpoints.get(endpointId) ?? 0;
    if (inUse >= (isProbed ? 1 : perEndpoint)) return false;
    if (!this.#all.hasRoom(total, endpoint) || !account.hasRoom(perAccount, endpoint)) return false;
    this.#all.add(endpoint, 1);
    account.add(endpoint, 1);
    this.#accounts.set(accountId, account);
    this.#endpoints.set(endpointId, inUse + 1);
    return true;
  }
}
