import { setTimeout as sleep } from "node:timers/promises";
import type { DomainError } from "../../domain/shared/errors.js";
import type { UserGroupChange, UserGroupChangeKind } from "../../domain/user-groups/change.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { ChangeListener } from "./change-feed.js";
import { createEvent, deliverEvent, endAll, type Subscriber } from "./event-delivery.js";
import { slowSubscriberError } from "./subscription.js";
import type { WatchCredential, WatchState } from "./watch-credential.js";

type Change = Pick<UserGroupChange, "id" | "kind">;

/** Maximum changed groups that wait; beyond it, the subscriptions end. */
const MAX_CHANGED_GROUPS = 10_000;
/** Number of groups loaded together. */
const CHUNK_SIZE = 50;
/** Maximum wait for a subscriber that does not read, so that it does not delay the others. */
const MAX_WAIT_MS = 1_000;

/** Data access of a watch. */
export interface WatchSource {
  /** Loads the groups and the valid API keys among these credentials, with one statement, in the order of the IDs. */
  load(ids: readonly number[], credentials: readonly WatchCredential[]): Promise<readonly WatchState[]>;
  loadMapping(id: number): Promise<readonly MappedDataSource[]>;
  /** @returns a function that unsubscribes @throws DomainError `unavailable` */
  follow(listener: ChangeListener): () => void;
}

/**
 * Delivers the changes of one group, or of all groups of an environment, to subscribers. Changes of a group that wait are merged into one
 * with the latest state.
 */
export class GroupWatch implements ChangeListener {
  readonly #source: WatchSource;
  readonly #isOfManyGroups: boolean;
  readonly #subscribers = new Set<Subscriber>();
  /** Changes that wait: the latest kind by group. */
  readonly #queue = new Map<number, UserGroupChangeKind>();
  #isDelivering = false;
  #unfollow: (() => void) | undefined;

  constructor(source: WatchSource, { isOfManyGroups }: { readonly isOfManyGroups: boolean }) {
    this.#source = source;
    this.#isOfManyGroups = isOfManyGroups;
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

  onChange({ id, kind }: Change): void {
    this.#queue.set(id, kind);
    if (this.#queue.size > MAX_CHANGED_GROUPS) this.onEnd(slowSubscriberError());
    else if (!this.#isDelivering) void this.#deliverAll();
  }

  onEnd(error: DomainError): void {
    this.#queue.clear();
    endAll(this.#subscribers, error);
  }

  /** Delivers changes in order, each as an event. */
  async #deliverAll(): Promise<void> {
    this.#isDelivering = true;
    while (this.#queue.size > 0) {
      const changes = [...this.#queue].slice(0, CHUNK_SIZE).map(([id, kind]) => ({ id, kind }));
      for (const { id } of changes) this.#queue.delete(id);
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
    if (!this.#isOfManyGroups) return;
    await Promise.race([
      Promise.all(subscribers.map(({ subscription }) => subscription.drained())),
      sleep(MAX_WAIT_MS, undefined, { ref: false }),
    ]);
  }
}
