import { toAddressBlock } from "../../domain/requests/address-block.js";

/** Time after which a turn of the event loop starts no more work, so that health checks and replies do not wait longer. */
const TURN_MS = 20;
/** Maximum work per turn that starts when it arrives, without having waited; as many health checks start beside it. */
const MAX_DIRECT_STARTS = 32;
/** Maximum work per turn that starts after having waited. */
const MAX_QUEUED_STARTS = 64;
/** How many turns one that took too long lasts, without further starts: each accepts a single connection, such as that of a health check. */
const LONG_TURN = 20;

/** Spreads the start of work over the turns of the event loop, so that a burst of it does not keep the loop from turning (decision 36). */
export class EventLoopTurns {
  /** Number of the turn; those without work are not counted. */
  current = 0;
  /** Undefined until the first work of a turn. */
  #turn: Turn | undefined;
  readonly #queue = new QueueByAddress();

  /**
   * Waits for the turn of work that takes CPU time: the start of a request, and its continuation once its body has arrived.
   * @param client its address is read only if it must wait: behind a proxy, each reading parses X-Forwarded-For
   * @param isHealthCheck it waits only if many arrive at once
   * @returns undefined if the work may start now
   */
  wait(client: { readonly ip: string }, isHealthCheck = false): Promise<void> | undefined {
    const turn = this.#begin();
    if (isHealthCheck && turn.mayStartHealthCheck()) return undefined;
    if (this.#queue.size === 0 && turn.mayStartDirectly()) return undefined;
    return this.#queue.join(toAddressBlock(client.ip));
  }

  #begin(): Turn {
    if (!this.#turn) {
      this.#turn = new Turn();
      setImmediate(this.#end);
    }
    return this.#turn;
  }

  readonly #end = (): void => {
    this.current += 1;
    if (this.#turn) this.#turn.turnsLeft -= 1;
    if (this.#turn?.turnsLeft) {
      setImmediate(this.#end);
      return;
    }
    this.#turn = undefined;
    if (this.#queue.size === 0) return;
    this.#begin();
    // A callback each, so that work that is done at once counts against the time of the turn.
    const starts = Math.min(this.#queue.size, MAX_QUEUED_STARTS);
    for (let count = 0; count < starts; count += 1) setImmediate(this.#startNext);
  };

  readonly #startNext = (): void => {
    if (this.#begin().hasTime()) this.#queue.takeNext()?.();
  };
}

/** What may still start in a turn of the event loop. One that took too long lasts for several. */
class Turn {
  /** Turns of the event loop that it still lasts. */
  turnsLeft = 1;
  readonly #endsAt = performance.now() + TURN_MS;
  #directStarts = 0;
  #healthChecks = 0;
  #isLong = false;

  mayStartHealthCheck(): boolean {
    this.#healthChecks += 1;
    return this.#healthChecks <= MAX_DIRECT_STARTS;
  }

  mayStartDirectly(): boolean {
    if (!this.hasTime()) return false;
    this.#directStarts += 1;
    return this.#directStarts <= MAX_DIRECT_STARTS;
  }

  /** Once it has none, the turn becomes a long one. */
  hasTime(): boolean {
    if (performance.now() < this.#endsAt) return true;
    if (!this.#isLong) this.turnsLeft = LONG_TURN;
    this.#isLong = true;
    return false;
  }
}

/** Work that waits. Addresses take turns. */
class QueueByAddress {
  size = 0;
  readonly #starts = new Map<string, (() => void)[]>();

  /** @returns resolves when the work is taken */
  join(address: string): Promise<void> {
    this.size += 1;
    return new Promise((resolve) => {
      const starts = this.#starts.get(address);
      if (starts) starts.push(resolve);
      else this.#starts.set(address, [resolve]);
    });
  }

  /** Removes the oldest work of the address that has waited longest for its turn. @returns a function that starts it */
  takeNext(): (() => void) | undefined {
    const [next] = this.#starts;
    if (!next) return undefined;
    const [address, starts] = next;
    this.size -= 1;
    this.#starts.delete(address);
    const start = starts.shift();
    if (starts.length > 0) this.#starts.set(address, starts);
    return start;
  }
}
