import { toAddressBlock } from "../../domain/requests/address-block.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { Metrics } from "../../telemetry/metrics.js";
import { CountsByName } from "../shared/counts-by-name.js";
import type { EventLoopTurns } from "./event-loop-turns.js";

/** Maximum share of the work in progress for one client address. */
const ADDRESS_SHARE = 0.5;
const RETRY_AFTER_S = 1;

/** What bounds work: HTTP requests and operations of WebSockets (decision 36). */
export interface Work {
  readonly limit: WorkLimit;
  readonly turns: EventLoopTurns;
}

/** Bounds the work in progress of a process. */
export class WorkLimit {
  readonly #byAddress = new CountsByName();
  #inProgress = 0;

  /** @param maxInProgress maximum work in progress; an address may have half of it */
  constructor(
    private readonly maxInProgress: number,
    private readonly metrics: Pick<Metrics, "shedRequests">,
  ) {}

  /**
   * Counts work of a client.
   * @returns a function to call when the work has ended
   * @throws DomainError `unavailable` beyond the limits
   */
  admit(address: string): () => void {
    const block = toAddressBlock(address);
    if (this.#inProgress >= this.maxInProgress) throw this.#shed("process");
    if (this.#byAddress.add(block, 1) > Math.ceil(this.maxInProgress * ADDRESS_SHARE)) {
      this.#byAddress.add(block, -1);
      throw this.#shed("address");
    }
    this.#inProgress += 1;
    let hasEnded = false;
    return () => {
      if (hasEnded) return;
      hasEnded = true;
      this.#inProgress -= 1;
      this.#byAddress.add(block, -1);
    };
  }

  #shed(limit: "process" | "address"): DomainError {
    this.metrics.shedRequests.inc({ limit });
    const message =
      limit === "process"
        ? "The service has too many requests in progress. Try again later."
        : "Too many requests from this address are in progress. Wait for some of them to complete.";
    return new DomainError("unavailable", message, { retryAfter: RETRY_AFTER_S });
  }
}
