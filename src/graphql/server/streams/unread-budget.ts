import type { EventStreamLimits } from "../../../domain/requests/event-stream-limits.js";
import { DomainError } from "../../../domain/shared/errors.js";
import type { Metrics } from "../../../telemetry/metrics.js";

/** A stream with buffered data that counts against the budget. */
export interface UnreadStream {
  /** Bytes the client has not read. */
  readonly unread: number;
  /** Closes the connection and discards unread data. */
  destroy(): void;
}

/** Limits the memory that event streams buffer for slow clients. */
export class UnreadBudget {
  readonly #limits: Pick<EventStreamLimits, "unreadBytes" | "totalUnreadBytes">;
  readonly #metrics: Metrics;
  /** Streams with unread data. */
  readonly #slow = new Set<UnreadStream>();
  #total = 0;

  constructor(limits: Pick<EventStreamLimits, "unreadBytes" | "totalUnreadBytes">, metrics: Metrics) {
    this.#limits = limits;
    this.#metrics = metrics;
  }

  /** Maximum bytes of one event. */
  get maxBytes(): number {
    return this.#limits.unreadBytes;
  }

  /**
   * Makes room for an event, if necessary by closing the streams with the largest amount of unread data.
   * @throws DomainError `query_too_expensive` if the event exceeds a stream's budget; `slow_consumer` if the budget is used up
   */
  reserve(stream: UnreadStream, bytes: number): void {
    const { unreadBytes, totalUnreadBytes } = this.#limits;
    if (bytes > unreadBytes) {
      this.#metrics.streamCutOffs.inc({ reason: "event_too_large" });
      throw new DomainError(
        "query_too_expensive",
        `An event of this subscription has ${bytes} bytes; at most ${unreadBytes} are allowed. Subscribe to fewer fields.`,
        { details: { limit: unreadBytes, actual: bytes } },
      );
    }
    if (stream.unread + bytes > unreadBytes) {
      this.#metrics.streamCutOffs.inc({ reason: "slow_consumer" });
      throw new DomainError(
        "slow_consumer",
        `More than ${unreadBytes} bytes of this event stream were not read. Read the user group and subscribe again.`,
        { retryAfter: 1, details: { limit: unreadBytes } },
      );
    }
    while (this.#total + bytes > totalUnreadBytes && this.#slow.size > 0) this.#cutOffSlowest();
  }

  /** Records a change in a stream's unread bytes. */
  recordUnread(stream: UnreadStream, change: number): void {
    if (change === 0) return;
    this.#total += change;
    if (stream.unread + change > 0) this.#slow.add(stream);
    else this.#slow.delete(stream);
  }

  #cutOffSlowest(): void {
    const [first, ...others] = this.#slow;
    if (!first) return;
    const slowest = others.reduce((a, b) => (b.unread > a.unread ? b : a), first);
    this.#metrics.streamCutOffs.inc({ reason: "process_memory" });
    slowest.destroy();
  }
}
