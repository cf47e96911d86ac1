import { DomainError } from "../../domain/shared/errors.js";

/** Maximum buffered events; beyond it, the subscription ends. */
const MAX_BEHIND = 100;
/** Maximum delay of `setTimeout`. */
const MAX_TIMER_MS = 2_147_483_647;

/** The ordered events of one subscriber, as an async iterable that ends with the subscription. */
export class Subscription<Event> implements AsyncIterableIterator<Event> {
  readonly #onEnd: () => void;
  readonly #events: Event[] = [];
  #failure: DomainError | undefined;
  #hasEnded = false;
  #expiresAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wake: (() => void) | undefined;
  #onDrained: (() => void) | undefined;

  /** @param onEnd called once when the subscription ends, for any reason */
  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  /** Whether an event may still be delivered: the subscription has neither ended nor expired. */
  get isOpen(): boolean {
    return !this.#hasEnded && (this.#expiresAt === undefined || Date.now() < this.#expiresAt);
  }

  push(event: Event): void {
    if (this.#hasEnded) return;
    this.#events.push(event);
    this.#wake?.();
    if (this.#events.length <= MAX_BEHIND) return;
    this.end(slowSubscriberError());
  }

  /** Resolves when all events were read, or the subscription has ended. Must not be called again before. */
  async drained(): Promise<void> {
    if (this.#hasEnded || this.#events.length === 0) return;
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
    this.#onEnd();
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
  async next(): Promise<IteratorResult<Event>> {
    for (;;) {
      if (this.#failure) {
        const error = this.#failure;
        this.#failure = undefined;
        this.#events.length = 0;
        throw error;
      }
      const [event] = this.#events.splice(0, 1);
      if (this.#events.length === 0) this.#onDrained?.();
      if (event !== undefined) return { done: false, value: event };
      if (this.#hasEnded) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<Event>> {
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
    "unavailable",
    "Events were not read fast enough. Read the user group again, then subscribe again.",
    {
      retryAfter: 1,
    },
  );
}
