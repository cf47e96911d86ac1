import { DomainError } from "../../domain/shared/errors.js";
import type { UserGroupChangeKind } from "../../domain/user-groups/change.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";

/** Maximum groups with an event that was not read; beyond it, the subscription ends. */
const MAX_BEHIND = 100;
/** Maximum delay of `setTimeout`. */
const MAX_TIMER_MS = 2_147_483_647;

/** A change of a group, shared by all its subscribers. */
export interface UserGroupEvent {
  readonly id: number;
  /** `current` for the state at the start of a subscription. */
  readonly kind: UserGroupChangeKind | "current";
  /** The current group; null if it was deleted. */
  readonly userGroup: UserGroup | null;
  /** Loads the group's mapping once and shares it among subscribers. */
  mapping(): Promise<readonly MappedDataSource[]>;
}

/**
 * The events of one subscriber, as an async iterable that ends with the subscription. It holds one event per group: an event that was not
 * read is replaced by the next one of its group.
 */
export class Subscription implements AsyncIterableIterator<UserGroupEvent> {
  readonly #events = new Map<number, UserGroupEvent>();
  #failure: DomainError | undefined;
  #hasEnded = false;
  #expiresAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;
  #onDrained: (() => void) | undefined;

  /** @param onEnd called once when the subscription ends, for any reason */
  constructor(private readonly onEnd: () => void) {}

  /** Whether an event may still be delivered: the subscription has neither ended nor expired. */
  get isOpen(): boolean {
    return !this.#hasEnded && (this.#expiresAt === undefined || Date.now() < this.#expiresAt);
  }

  /** Sends the state at the start, unless a change waits already: it was read later. */
  start(event: UserGroupEvent): void {
    if (!this.#events.has(event.id)) this.push(event);
  }

  push(event: UserGroupEvent): void {
    if (this.#hasEnded) return;
    this.#events.set(event.id, event);
    this.#wake?.();
    if (this.#events.size > MAX_BEHIND) this.end(slowSubscriberError());
  }

  /** Resolves when all events were read, or the subscription has ended; never if it is called again before. */
  async drained(): Promise<void> {
    if (this.#hasEnded || this.#events.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onDrained = resolve;
    });
  }

  /** Ends the subscription. @param error thrown to the subscriber in place of the buffered events */
  end(error?: DomainError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#failure = error;
    clearTimeout(this.#timer);
    this.onEnd();
    this.#onDrained?.();
    this.#wake?.();
  }

  /** Schedules the end of the subscription, or cancels it with null. @param error as for `end` */
  expireAt(time: Date | null, error: DomainError): void {
    const expiresAt = time?.getTime();
    if (this.#hasEnded || expiresAt === this.#expiresAt) return;
    this.#expiresAt = expiresAt;
    clearTimeout(this.#timer);
    if (expiresAt !== undefined) this.#waitUntil(expiresAt, error);
  }

  #waitUntil(expiresAt: number, error: DomainError): void {
    const left = Math.max(expiresAt - Date.now(), 0);
    const onTimeout = () => (left > MAX_TIMER_MS ? this.#waitUntil(expiresAt, error) : this.end(error));
    this.#timer = setTimeout(onTimeout, Math.min(left, MAX_TIMER_MS)).unref();
  }

  /** @throws DomainError passed to `end` */
  async next(): Promise<IteratorResult<UserGroupEvent>> {
    for (;;) {
      if (this.#failure) {
        const error = this.#failure;
        this.#failure = undefined;
        this.#events.clear();
        throw error;
      }
      const [event] = this.#events.values();
      if (event) this.#events.delete(event.id);
      if (this.#events.size === 0) this.#onDrained?.();
      if (event) return { done: false, value: event };
      if (this.#hasEnded) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<UserGroupEvent>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** Returns the error for a subscriber that consumes changes too slowly. */
export function slowSubscriberError(): DomainError {
  return new DomainError(
    "slow_consumer",
    "Events were not read fast enough. Read the user groups again, then subscribe again.",
    { retryAfter: 1 },
  );
}
