import { toAddressBlock } from "../../domain/requests/address-block.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { Metrics } from "../../telemetry/metrics.js";

/** Counts by name. A name whose count is 0 takes no memory. */
export class CountsByName {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** @param amount negative to subtract @returns the new count */
  add(name: string, amount: number): number {
    const count = (this.#counts.get(name) ?? 0) + amount;
    if (count === 0) this.#counts.delete(name);
    else this.#counts.set(name, count);
    return count;
  }
}

/** Maximum share of the work in progress for one client address. */
const ADDRESS_SHARE = 0.5;
/** Time after which a turn of the event loop starts no more work, so that health checks and replies do not wait longer. */
const TURN_MS = 20;
/** Maximum starts per turn, in callbacks of their own. */
const MAX_STARTS = 64;
/** Maximum starts per turn of work that arrives at once and has taken no time yet; as many health checks start beside them. */
const MAX_DIRECT_STARTS = 32;
/** Turns without starts after one that took long: each turn accepts a single connection, such as that of a health check. */
const RESTING_TURNS = 20;
const RETRY_AFTER_S = 1;

/**
 * Bounds the work in progress of a process, and spreads its start over the turns of the event loop. Work is an HTTP request or an
 * operation of a WebSocket (decision 36).
 */
export class WorkQueue {
  /** Number of the turn of the event loop; turns without work are not counted. */
  currentTurn = 0;
  readonly #byAddress = new CountsByName();
  /** Work that waits, by address; addresses take turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #waitingCount = 0;
  #inProgress = 0;
  /** Work that has started directly in this turn. */
  #started = 0;
  #healthChecks = 0;
  #turnEndsAt: number | undefined;
  #restingTurns = 0;

  readonly #beginTurn = (): void => {
    this.currentTurn += 1;
    if (this.#restingTurns > 1) {
      this.#restingTurns -= 1;
      setImmediate(this.#beginTurn);
      return;
    }
    this.#restingTurns = 0;
    this.#turnEndsAt = undefined;
    this.#started = 0;
    this.#healthChecks = 0;
    if (this.#waiting.size === 0) return;
    this.#hasTime();
    // A callback each, so that work that is done at once counts against the time of the turn.
    const starts = Math.min(this.#waitingCount, MAX_STARTS);
    for (let count = 0; count < starts; count += 1) setImmediate(() => this.#startNext());
  };

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

  /**
   * Waits for the turn of work that takes CPU time: the start of a request, and its continuation once its body has arrived.
   * @param client its address is read only if it must wait: behind a proxy, each reading parses X-Forwarded-For
   * @param isHealthCheck it waits only if many arrive at once
   * @returns undefined if it may start now
   */
  turn(client: { readonly ip: string }, isHealthCheck = false): Promise<void> | undefined {
    if (isHealthCheck && this.#healthChecks < MAX_DIRECT_STARTS) {
      this.#hasTime();
      this.#healthChecks += 1;
      return undefined;
    }
    if (this.#waiting.size === 0 && this.#hasTime() && this.#started < MAX_DIRECT_STARTS) {
      this.#started += 1;
      return undefined;
    }
    const block = toAddressBlock(client.ip);
    this.#waitingCount += 1;
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(block);
      if (waiting) waiting.push(resolve);
      else this.#waiting.set(block, [resolve]);
    });
  }

  #hasTime(): boolean {
    const now = performance.now();
    if (this.#turnEndsAt === undefined) {
      this.#turnEndsAt = now + TURN_MS;
      setImmediate(this.#beginTurn);
    }
    if (now < this.#turnEndsAt) return true;
    if (this.#restingTurns === 0) this.#restingTurns = RESTING_TURNS;
    return false;
  }

  #startNext(): void {
    const [next] = this.#waiting;
    if (!next || !this.#hasTime()) return;
    const [address, waiting] = next;
    const start = waiting.shift();
    this.#waitingCount -= 1;
    this.#waiting.delete(address);
    if (waiting.length > 0) this.#waiting.set(address, waiting);
    start?.();
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
