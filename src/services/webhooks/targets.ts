import { promises as dns, type LookupAddress } from "node:dns";
import { DomainError } from "../../domain/shared/errors.js";
import { isPublicAddress } from "../../domain/webhooks/url.js";

const LOOKUP_TIMEOUT_MS = 5000;

/** Resolves a hostname to all its addresses. */
type Lookup = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface WebhookTargetOptions {
  /** Whether to allow plain HTTP and private networks. */
  readonly allowPrivate: boolean;
  /** Defaults to the system resolver. */
  readonly lookup?: Lookup;
}

/** Restricts webhooks to public addresses, to prevent SSRF (decision 35). */
export class WebhookTargets {
  readonly allowPrivate: boolean;
  readonly #lookup: Lookup;

  constructor({ allowPrivate, lookup = resolveHostname }: WebhookTargetOptions) {
    this.allowPrivate = allowPrivate;
    this.#lookup = lookup;
  }

  /**
   * Resolves and validates the addresses of a URL's host. Connect only to these: another lookup may return different ones.
   * @throws DomainError `forbidden` if an address is not public; the resolver's error; the signal's reason
   */
  async addressesOf(
    url: URL,
    signal = AbortSignal.timeout(LOOKUP_TIMEOUT_MS),
  ): Promise<readonly LookupAddress[]> {
    // Remove the brackets of an IPv6 address.
    const addresses = await abortable(signal, this.#lookup(url.hostname.replace(/^\[|\]$/g, "")));
    if (
      addresses.length > 0 &&
      (this.allowPrivate || addresses.every(({ address }) => isPublicAddress(address)))
    )
      return addresses;
    throw new DomainError("forbidden", "The address is private or reserved.");
  }
}

async function resolveHostname(hostname: string): Promise<readonly LookupAddress[]> {
  return dns.lookup(hostname, { all: true });
}

/** Rejects when the signal aborts, because the system resolver cannot be cancelled. */
async function abortable<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}
