import type { Tenant } from "../domain/caller.js";
import { DomainError } from "../domain/errors.js";
import {
  decodeChanges,
  encodeChanges,
  type UserGroupChange,
  type UserGroupChangeKind,
} from "../domain/user-group-change.js";
import type { NotificationChannel } from "../persistence/notification-channel.js";

/** PostgreSQL takes payloads of up to 8,000 bytes; a change takes up to 60. */
const CHANGES_A_PAYLOAD = 100;
/** Changes that could not be published yet; beyond, the oldest are dropped. */
const MAX_BACKLOG = 100_000;
/** How long to wait after changes could not be published. */
const RETRY_MS = 1000;
/** Changes that a subscriber has not taken yet; beyond, it is cut off. */
const MAX_BEHIND = 100;
const SHUTTING_DOWN = "The service is shutting down. Subscribe anew.";

/** One subscriber's view of one group: an iterable of changes that ends when it is cut off. */
export interface Subscription extends AsyncIterableIterator<UserGroupChangeKind> {
  /** Ends it; with an error, the subscriber is told why. */
  end(error?: DomainError): void;
}

/** Tells subscribers of all processes about changes of groups, after they were committed. */
export class ChangeFeed {
  readonly #channel: NotificationChannel;
  readonly #subscribers = new Map<string, Set<Subscription & { push(kind: UserGroupChangeKind): void }>>();
  #onError: (error: unknown) => void = () => undefined;
  #backlog: UserGroupChange[] = [];
  #isLeaving = false;
  #closed = false;
  #flushing: Promise<void> | undefined;

  constructor(channel: NotificationChannel) {
    this.#channel = channel;
  }

  /** How many follow a group at this process. */
  get subscriptions(): number {
    let count = 0;
    for (const subscribers of this.#subscribers.values()) count += subscribers.size;
    return count;
  }

  /** How many changes could not be published yet. */
  get unpublished(): number {
    return this.#backlog.length;
  }

  /** Says who is told when changes could not be published; they are published a little later. */
  reportErrors(onError: (error: unknown) => void): void {
    this.#onError = onError;
  }

  /** Publishes a change, once it is committed. Nobody waits for it: changes that happen together travel together. */
  publish(tenant: Tenant, id: number, kind: UserGroupChangeKind): void {
    if (tenant.transaction) tenant.transaction.afterCommit(() => this.#publish(tenant, id, kind));
    else this.#publish(tenant, id, kind);
  }

  #publish(tenant: Tenant, id: number, kind: UserGroupChangeKind): void {
    this.#backlog.push({ accountId: tenant.accountId, environment: tenant.environment, id, kind });
    if (this.#backlog.length > MAX_BACKLOG) this.#backlog.shift();
    this.#flushSoon();
  }

  /**
   * Follows the changes of one group; none that is committed after this resolves is missed.
   * @throws DomainError `unavailable` when the database is out of reach, or subscriptions have been ended
   */
  async subscribe(tenant: Tenant, id: number): Promise<Subscription> {
    if (this.#isLeaving) throw unavailable(SHUTTING_DOWN);
    const key = keyOf({ ...tenant, id });
    const subscribers = this.#subscribers.get(key) ?? new Set();
    this.#subscribers.set(key, subscribers);
    const subscription = createSubscription(() => {
      subscribers.delete(subscription);
      if (subscribers.size === 0) this.#subscribers.delete(key);
    });
    subscribers.add(subscription);
    try {
      await this.#channel.listen({
        onPayload: (payload) => this.#deliver(payload),
        onGap: () =>
          this.#endAll("Changes may have been missed. Read the user group again and subscribe anew."),
      });
    } catch (error) {
      subscription.end();
      throw error;
    }
    return subscription;
  }

  /** Ends all subscriptions, and takes no more; changes are still published. */
  endSubscriptions(): void {
    this.#isLeaving = true;
    this.#endAll(SHUTTING_DOWN);
  }

  /** Publishes what is left, and ends. */
  async close(): Promise<void> {
    this.endSubscriptions();
    this.#closed = true;
    await this.#flushing;
    await this.#channel.close();
  }

  #deliver(payload: string): void {
    for (const change of decodeChanges(payload)) {
      for (const subscriber of this.#subscribers.get(keyOf(change)) ?? []) subscriber.push(change.kind);
    }
  }

  #endAll(message: string): void {
    const error = unavailable(message);
    for (const subscriber of [...this.#subscribers.values()].flatMap((set) => [...set]))
      subscriber.end(error);
  }

  async #flush(): Promise<void> {
    // What is published meanwhile goes out in the next round.
    while (this.#backlog.length > 0) {
      const changes = this.#backlog;
      this.#backlog = [];
      try {
        await this.#channel.publish(toPayloads(changes));
      } catch (error) {
        this.#backlog = [...changes, ...this.#backlog].slice(-MAX_BACKLOG);
        this.#onError(error);
        if (!this.#closed) setTimeout(() => this.#flushSoon(), RETRY_MS).unref();
        break;
      }
    }
    this.#flushing = undefined;
  }

  #flushSoon(): void {
    this.#flushing ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => this.#flush());
  }
}

function unavailable(message: string): DomainError {
  return new DomainError("unavailable", message, { retryAfter: 1 });
}

function toPayloads(changes: readonly UserGroupChange[]): string[] {
  const payloads: string[] = [];
  for (let start = 0; start < changes.length; start += CHANGES_A_PAYLOAD) {
    payloads.push(encodeChanges(changes.slice(start, start + CHANGES_A_PAYLOAD)));
  }
  return payloads;
}

function keyOf({ accountId, environment, id }: Omit<UserGroupChange, "kind">): string {
  return `${accountId}/${environment}/${id}`;
}

function createSubscription(onEnd: () => void) {
  const waiting: UserGroupChangeKind[] = [];
  let failure: DomainError | undefined;
  let ended = false;
  let wake: (() => void) | undefined;

  function end(error?: DomainError): void {
    if (ended) return;
    ended = true;
    failure = error;
    onEnd();
    wake?.();
  }

  async function next(): Promise<IteratorResult<UserGroupChangeKind>> {
    for (;;) {
      const kind = failure ? undefined : waiting.shift();
      if (kind !== undefined) return { done: false, value: kind };
      if (failure) {
        const error = failure;
        failure = undefined;
        waiting.length = 0;
        throw error;
      }
      if (ended) return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  return {
    push(kind: UserGroupChangeKind): void {
      waiting.push(kind);
      wake?.();
      if (waiting.length <= MAX_BEHIND) return;
      end(new DomainError("unavailable", "You fell behind. Read the user group again and subscribe anew."));
    },
    end,
    next,
    async return(): Promise<IteratorResult<UserGroupChangeKind>> {
      end();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
