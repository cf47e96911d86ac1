import { setImmediate } from "node:timers/promises";
import { DomainError, internalError } from "../../domain/shared/errors.js";
import type { UserGroupChangeKind } from "../../domain/user-groups/change.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { UserGroup } from "../../domain/user-groups/user-group.js";
import type { ChangeListener } from "./change-feed.js";
import { type Subscription, slowSubscriberError } from "./subscription.js";
import {
  expiryOf,
  invalidCredentialError,
  type WatchCredential,
  type WatchState,
} from "./watch-credential.js";

/** Maximum queued changes of a group; beyond it, its subscriptions end. */
const MAX_QUEUED = 100;
/** Number of subscribers notified before yielding to the event loop. */
const SUBSCRIBERS_PER_TURN = 10;

/** A change of a group, shared by all its subscribers. */
export interface UserGroupEvent {
  readonly kind: UserGroupChangeKind;
  /** The current group; null if it was deleted. */
  readonly userGroup: UserGroup | null;
  /** Loads the group's mapping once and shares it among subscribers. */
  mapping(): Promise<readonly MappedDataSource[]>;
}

export interface Subscriber {
  readonly credential: WatchCredential;
  readonly subscription: Subscription<UserGroupEvent>;
}

/** Data access of a watch for its group. */
export interface GroupSource {
  /** Loads the group and the valid API keys among these credentials, with one statement. */
  load(credentials: readonly WatchCredential[]): Promise<WatchState>;
  loadMapping(): Promise<readonly MappedDataSource[]>;
  /** @returns a function that unsubscribes @throws DomainError `unavailable` */
  follow(listener: ChangeListener): () => void;
}

/** Delivers the changes of one group to its subscribers. */
export class GroupWatch implements ChangeListener {
  readonly #source: GroupSource;
  readonly #subscribers = new Set<Subscriber>();
  readonly #queue: UserGroupChangeKind[] = [];
  #isDelivering = false;
  #unfollow: (() => void) | undefined;

  constructor(source: GroupSource) {
    this.#source = source;
  }

  /** @throws DomainError `unavailable` */
  add(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
    this.#unfollow ??= this.#source.follow(this);
  }

  /** Returns whether no subscribers are left. */
  remove(subscriber: Subscriber): boolean {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size > 0) return false;
    this.#unfollow?.();
    this.#unfollow = undefined;
    return true;
  }

  onChange(kind: UserGroupChangeKind): void {
    this.#queue.push(kind);
    if (this.#queue.length > MAX_QUEUED) this.onEnd(slowSubscriberError());
    else if (!this.#isDelivering) void this.#deliverAll();
  }

  onEnd(error: DomainError): void {
    this.#queue.length = 0;
    for (const { subscription } of [...this.#subscribers]) subscription.end(error);
  }

  /** Delivers changes sequentially, each as a separate event. */
  async #deliverAll(): Promise<void> {
    this.#isDelivering = true;
    for (let kind = this.#queue.shift(); kind !== undefined; kind = this.#queue.shift()) {
      // Snapshot: later subscribers have already read this change.
      const subscribers = [...this.#subscribers];
      if (subscribers.length > 0) await this.#deliver(kind, subscribers);
    }
    this.#isDelivering = false;
  }

  async #deliver(kind: UserGroupChangeKind, subscribers: readonly Subscriber[]): Promise<void> {
    let state: WatchState;
    try {
      state = await this.#source.load(subscribers.map(({ credential }) => credential));
    } catch (error) {
      const reason = error instanceof DomainError ? error : internalError(error);
      for (const { subscription } of subscribers) subscription.end(reason);
      return;
    }
    const event = this.#createEvent(kind, state);
    for (const [index, { credential, subscription }] of subscribers.entries()) {
      if (index % SUBSCRIBERS_PER_TURN === SUBSCRIBERS_PER_TURN - 1) await setImmediate();
      const expiresAt = expiryOf(credential, state);
      if (expiresAt === undefined) {
        subscription.end(invalidCredentialError(credential));
      } else {
        subscription.expireAt(expiresAt, invalidCredentialError(credential));
        subscription.push(event);
      }
    }
  }

  #createEvent(kind: UserGroupChangeKind, { group }: WatchState): UserGroupEvent {
    let mapping: Promise<readonly MappedDataSource[]> | undefined;
    return {
      kind: group ? kind : "deleted",
      userGroup: group?.userGroup ?? null,
      mapping: () => {
        mapping ??= this.#source.loadMapping();
        return mapping;
      },
    };
  }
}
