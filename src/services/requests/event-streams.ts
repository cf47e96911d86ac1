import type { BlockList } from "node:net";
import { limitedName } from "../../domain/accounts/caller.js";
import type { Identity } from "../../domain/authentication/identity.js";
import { isListed, toAddressBlock, toBlockList } from "../../domain/requests/address-block.js";
import type { EventStreamLimits } from "../../domain/requests/event-stream-limits.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { Metrics } from "../../telemetry/metrics.js";
import { CountsByName } from "../shared/counts-by-name.js";

/** A subject of a stream limit. */
type Holder = "token" | "api_key" | "address" | "process";

/** Retry-After of a rejected client; streams end at unpredictable times. */
const RETRY_AFTER_S = 30;

const SUBJECTS: Readonly<Record<Holder, string>> = {
  token: "This user group token",
  api_key: "This API key",
  address: "This client address",
  process: "The service",
};

/** Limits the concurrent event streams, or WebSockets, of this process. */
export class EventStreams {
  readonly #trustedProxies: BlockList;
  readonly #counts = new CountsByName();
  #open = 0;

  /**
   * @param trustedProxies addresses and networks of reverse proxies, exempt from the limit per address
   * @param subject plural of what is limited, for error messages
   */
  constructor(
    readonly limits: EventStreamLimits,
    trustedProxies: readonly string[],
    private readonly metrics: Metrics,
    private readonly subject = "event streams",
  ) {
    this.#trustedProxies = toBlockList(trustedProxies);
  }

  /** Number of open streams. */
  get open(): number {
    return this.#open;
  }

  /**
   * Admits a stream.
   * @returns a function to call when the stream has ended; further calls do nothing
   * @throws DomainError `rate_limited` when a limit is reached
   */
  admit(identity: Identity, address: string): () => void {
    const names = this.#checkLimits(identity, address);
    for (const name of names) this.#counts.add(name, 1);
    this.#open += 1;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      for (const name of names) this.#counts.add(name, -1);
      this.#open -= 1;
    };
  }

  /** Checks all limits and returns the names of the counters to increment. */
  #checkLimits(identity: Identity, address: string): readonly string[] {
    const { perToken, perKey, perAddress, perProcess } = this.limits;
    const names: string[] = [];
    const checkLimit = (holder: Holder, name: string, limit: number) => {
      if (this.#counts.of(name) >= limit) throw this.#refusal(holder, limit);
      names.push(name);
    };
    if (identity.kind === "caller") checkLimit("api_key", limitedName(identity.caller), perKey);
    else checkLimit("token", `group:${identity.userGroup.accountId}:${identity.userGroup.id}`, perToken);
    // Behind a proxy that does not forward client addresses, all clients share its address.
    if (!isListed(this.#trustedProxies, address))
      checkLimit("address", `address:${toAddressBlock(address)}`, perAddress);
    if (this.#open >= perProcess) throw this.#refusal("process", perProcess);
    return names;
  }

  #refusal(holder: Holder, limit: number): DomainError {
    this.metrics.streamRefusals.inc({ reason: holder });
    return new DomainError(
      "rate_limited",
      `${SUBJECTS[holder]} has reached the limit of ${limit} open ${this.subject}. Close one, or try again in ${RETRY_AFTER_S} s.`,
      { retryAfter: RETRY_AFTER_S, details: { limit } },
    );
  }
}
