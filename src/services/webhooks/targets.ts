import { promises as dns, type LookupAddress } from "node:dns";
import { DomainError } from "../../domain/shared/errors.js";
import { isPublicAddress } from "../../domain/webhooks/public-address.js";

const LOOKUP_TIMEOUT_MS = 5000;

/** Finds all addresses of a name. */
export type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface WebhookTargetOptions {
  /** Whether webhooks may go unencrypted, and into private networks. */
  readonly allowPrivate: boolean;
  /** The system's resolver unless told otherwise. */
  readonly lookup?: Lookup;
}

/** Decides where webhooks may go: nowhere that only we can reach (decision 35). */
export class WebhookTargets {
  readonly allowPrivate: boolean;
  readonly #lookup: Lookup;

  constructor({ allowPrivate, lookup = lookUp }: WebhookTargetOptions) {
    this.allowPrivate = allowPrivate;
    this.#lookup = lookup;
  }

  /**
   * Finds the addresses behind a URL. Only these may be connected to: the next look-up may find others.
   * @throws DomainError `forbidden` when one of them is not public; the resolver's error; the signal's reason
   */
  async addressesOf(
    url: URL,
    signal = AbortSignal.timeout(LOOKUP_TIMEOUT_MS),
  ): Promise<readonly LookupAddress[]> {
    // Brackets stand around IPv6 addresses.
    const addresses = await before(signal, this.#lookup(url.hostname.replace(/^\[|\]$/g, "")));
    if (addresses.length > 0 && (this.allowPrivate || addresses.every((one) => isPublicAddress(one.address))))
      return addresses;
    throw new DomainError("forbidden", "The address is private or reserved.");
  }
}

async function lookUp(hostname: string): Promise<readonly LookupAddress[]> {
  return dns.lookup(hostname, { all: true });
}

/** Waits no longer than the signal allows: the system's resolver cannot be stopped. */
async function before<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
