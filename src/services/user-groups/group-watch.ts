import type { DomainError } from "../../domain/shared/errors.js";
import type { UserGroupChange } from "../../domain/user-groups/change.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { ChangeListener } from "./change-feed.js";
import { createEvent, deliverEvent, endAll, type Subscriber } from "./event-delivery.js";
import { slowSubscriberError } from "./subscription.js";
import type { WatchCredential, WatchState } from "./watch-credential.js";

type Change = Pick<UserGroupChange, "id" | "kind">;

/** Maximum queued changes, and the number of changes loaded together. */
export interface WatchLimits {
  readonly maxQueued: number;
  readonly chunkSize: number;
}

/** Limits for the changes of one group, and of all groups of an environment. */
export const GROUP_LIMITS: WatchLimits = { maxQueued: 100, chunkSize: 1 };
export const ENVIRONMENT_LIMITS: WatchLimits = { maxQueued: 10_000, chunkSize: 50 };

/** Data access of a watch. */
export interface WatchSource {
  /** Loads the groups and the valid API keys among these credentials, with one statement, in the order of the IDs. */
  load(ids: readonly number[], credentials: readonly WatchCredential[]): Promise<readonly WatchState[]>;
  loadMapping(id: number): Promise<readonly MappedDataSource[]>;
  /** @returns a function that unsubscribes @throws DomainError `unavailable` */
  follow(listener: ChangeListener): () => void;
}

/** Delivers the changes of one group, or of all groups of an environment, to subscribers. */
export class GroupWatch implements ChangeListener {
  readonly #source: WatchSource;
  readonly #limits: WatchLimits;
  readonly #subscribers = new Set<Subscriber>();
  readonly #queue: Change[] = [];
  #isDelivering = false;
  #unfollow: (() => void) | undefined;

  constructor(source: WatchSource, limits: WatchLimits) {
    this.#source = source;
    this.#limits = limits;
  }

  get #isOfManyGroups(): boolean {
    return this.#limits.chunkSize > 1;
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

  onChange(change: Change): void {
    this.#queue.push(change);
    if (this.#queue.length > this.#limits.maxQueued) this.onEnd(slowSubscriberError());
    else if (!this.#isDelivering) void this.#deliverAll();
  }

  onEnd(error: DomainError): void {
    this.#queue.length = 0;
    endAll(this.#subscribers, error);
  }

  /** Delivers changes sequentially, each as a separate event. */
  async #deliverAll(): Promise<void> {
    this.#isDelivering = true;
    while (this.#queue.length > 0) {
      const changes = this.#queue.splice(0, this.#limits.chunkSize);
      // Snapshot: later subscribers have already read this change.
      const subscribers = [...this.#subscribers];
      if (subscribers.length > 0) await this.#deliver(changes, subscribers);
    }
    this.#isDelivering = false;
  }

  async #deliver(changes: readonly Change[], subscribers: readonly Subscriber[]): Promise<void> {
    const credentials = subscribers.map(({ credential }) => credential);
    let states: readonly WatchState[];
    try {
      const ids = changes.map(({ id }) => id);
      states = await this.#source.load(ids, credentials);
    } catch (error) {
      endAll(subscribers, error);
      return;
    }
    for (const [index, change] of changes.entries()) {
      const state = states[index];
      if (!state) throw new Error("The state of a changed user group is missing.");
      // The deletion follows as a change of its own; the subscription to one group ends with the first.
      if (this.#isOfManyGroups && !state.group && change.kind !== "deleted") continue;
      const event = createEvent(change, state, (id) => this.#source.loadMapping(id));
      await deliverEvent(event, state, subscribers);
    }
    // Only IDs are queued until the events were read: groups may be large, and their number is unlimited.
    if (this.#isOfManyGroups)
      await Promise.all(subscribers.map(({ subscription }) => subscription.drained()));
  }
}
