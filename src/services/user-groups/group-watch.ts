import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { DomainError, internalError } from "../../domain/shared/errors.js";
import type { UserGroupChangeKind } from "../../domain/user-groups/change.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { SubscribedGroup } from "../../persistence/user-groups/subscribed-group-queries.js";
import type { ChangeListener, GroupChange } from "./change-feed.js";
import { type Subscription, slowSubscriberError, type UserGroupEvent } from "./subscription.js";

/** Credential of a subscription: an API key, a token of the group by its possible hashes, or an embed session. */
export type WatchCredential =
  | { readonly kind: "apiKey"; readonly keyId: number }
  | { readonly kind: "token"; readonly lookups: readonly Buffer[] }
  | SessionCredential;

/** An embed session, valid for one generation of the group's token and as long as its API key. */
export interface SessionCredential {
  readonly kind: "embedSession";
  readonly generation: number;
  readonly keyId: number | undefined;
  readonly expiresAt: Date;
}

/** A consistent snapshot of a group and its subscribers' API keys. */
export interface WatchState {
  /** Null if the group was deleted. */
  readonly group: SubscribedGroup | null;
  /** Expiry of each valid key; null if it never expires. */
  readonly activeKeys: ReadonlyMap<number, Date | null>;
}

/** Returns the API key that the credential is, or that created it, if any. */
export function keyIdOf(credential: WatchCredential): number | undefined {
  return credential.kind === "token" ? undefined : credential.keyId;
}

/** Returns when the credential expires: null for never, undefined if it is no longer valid. */
export function expiryOf(
  credential: WatchCredential,
  { group, activeKeys }: WatchState,
): Date | null | undefined {
  if (credential.kind === "apiKey") return activeKeys.get(credential.keyId);
  if (!group) return undefined;
  const { tokenLookup, tokenGeneration, previousToken } = group;
  if (credential.kind === "embedSession") {
    const { generation, keyId, expiresAt } = credential;
    const hasKey = keyId === undefined || activeKeys.has(keyId);
    return hasKey && generation === tokenGeneration ? expiresAt : undefined;
  }
  const { lookups } = credential;
  if (lookups.some((lookup) => lookup.equals(tokenLookup))) return null;
  const isPrevious = previousToken && lookups.some((lookup) => lookup.equals(previousToken.lookup));
  return isPrevious ? previousToken.expiresAt : undefined;
}

/** Returns the error that ends a subscription whose credential is no longer valid. */
export function invalidCredentialError({ kind }: WatchCredential): DomainError {
  return new DomainError(
    "unauthenticated",
    kind === "apiKey"
      ? "The API key was revoked or has expired."
      : "The user group token is unknown or was rotated.",
  );
}

/** Returns the error that ends a subscription whose credential expires. */
export function expiredCredentialError(credential: WatchCredential): DomainError {
  if (credential.kind !== "embedSession") return invalidCredentialError(credential);
  return new DomainError("unauthenticated", "The embed session has expired. Create another one.");
}

/** Number of subscribers notified before yielding to the event loop. */
const SUBSCRIBERS_PER_TURN = 10;

interface Subscriber {
  readonly credential: WatchCredential;
  readonly subscription: Subscription;
}

/** Creates the event of a change, or of the current state. */
export function createEvent(
  { id, kind }: Pick<UserGroupEvent, "id" | "kind">,
  { group }: WatchState,
  loadMapping: (id: number) => Promise<readonly MappedDataSource[]>,
): UserGroupEvent {
  let mapping: Promise<readonly MappedDataSource[]> | undefined;
  return {
    id,
    kind: group ? kind : "deleted",
    userGroup: group?.userGroup ?? null,
    mapping: () => {
      mapping ??= loadMapping(id);
      return mapping;
    },
  };
}

/** Delivers an event to the subscribers whose credentials are valid, and ends the subscriptions of the others. */
async function deliverEvent(
  event: UserGroupEvent,
  state: WatchState,
  subscribers: readonly Subscriber[],
): Promise<void> {
  for (const [index, { credential, subscription }] of subscribers.entries()) {
    if (index % SUBSCRIBERS_PER_TURN === SUBSCRIBERS_PER_TURN - 1) await setImmediate();
    // A deletion reaches front ends, too: their token was valid until then.
    const isDeletion = !state.group && credential.kind !== "apiKey";
    const expiresAt = isDeletion ? null : expiryOf(credential, state);
    if (expiresAt === undefined) {
      subscription.end(invalidCredentialError(credential));
    } else {
      subscription.expireAt(expiresAt, expiredCredentialError(credential));
      subscription.push(event);
    }
  }
}

/** Ends the subscriptions because a change could not be loaded. */
function endAll(subscribers: Iterable<Subscriber>, error: unknown): void {
  const reason = error instanceof DomainError ? error : internalError(error);
  for (const { subscription } of [...subscribers]) subscription.end(reason);
}

/** Maximum changed groups that wait; beyond it, the subscriptions end. */
const MAX_CHANGED_GROUPS = 10_000;
/** Number of groups loaded together. */
const CHUNK_SIZE = 50;
/** Maximum wait for a subscriber that does not read, so that it does not delay the others. */
const MAX_WAIT_MS = 1_000;

/** Data access of a watch. */
interface WatchSource {
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

  onChange({ id, kind }: GroupChange): void {
    // The notification of an earlier change may arrive after that of the deletion.
    if (this.#queue.get(id) !== "deleted") this.#queue.set(id, kind);
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

  async #deliver(changes: readonly GroupChange[], subscribers: readonly Subscriber[]): Promise<void> {
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
