import type { Deadline } from "../../domain/shared/deadline.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { UserGroupChangeKind } from "../../domain/user-groups/change.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { SubscribedGroup } from "../../persistence/user-groups/subscribed-group-queries.js";
import { type EventSource, type EventTaker, toReadable } from "../shared/event-source.js";
import type { Taker } from "../shared/shared-result.js";
import type { ChangeListener, GroupChange } from "./change-feed.js";
import {
  expiredCredentialError,
  expiryOf,
  invalidCredentialError,
  type WatchCredential,
  type WatchState,
} from "./watch-credentials.js";

/** Maximum changed groups that wait; beyond it, the subscription ends. */
const MAX_CHANGED_GROUPS = 2_000;
/** Number of groups loaded together. */
const CHUNK_SIZE = 10;
/** An ID that no group has. */
const NO_GROUP = 0;
/** Maximum delay of `setTimeout`. */
const MAX_TIMER_MS = 2_147_483_647;

/** Data access of a subscription. */
interface SubscriptionSource {
  /** The group to watch; null for all groups of the environment. */
  readonly groupId: number | null;
  /** Loads the state of a group at the start. */
  load(id: number, deadline: Deadline | undefined): Promise<WatchState>;
  /** Loads the state of a changed group, once for all subscriptions that ask at the same time. */
  loadChanged(id: number, taker: Taker<WatchState>): void;
  loadMapping(id: number): Promise<readonly MappedDataSource[]>;
}

/** A change of a group, or `current` at the start of a subscription, with the group's state. */
export class UserGroupEvent {
  #mapping: Promise<readonly MappedDataSource[]> | undefined;

  /** @param group null if it was deleted; the same object for subscriptions that loaded it at the same time */
  constructor(
    readonly id: number,
    readonly kind: UserGroupChangeKind | "current",
    readonly group: SubscribedGroup | null,
    private readonly subscription: Subscription,
  ) {}

  /** Whether the event may still be sent: the subscription has neither ended nor expired. */
  get isCurrent(): boolean {
    return this.subscription.isOpen;
  }

  mapping(): Promise<readonly MappedDataSource[]> {
    this.#mapping ??= this.subscription.source.loadMapping(this.id);
    return this.#mapping;
  }
}

/**
 * A subscription to one group or to all groups of an environment. It holds the IDs of changed groups, and loads their states when its taker
 * asks for the next event, so that changes of a group that wait are merged into one event. Each state is loaded with the validity of the
 * credential, even if the notification of a revocation or rotation was lost. It ends with the deletion of the one group.
 */
export class Subscription implements ChangeListener, EventSource<UserGroupEvent> {
  /** Changes that wait: the latest kind by group. */
  readonly #changes = new Map<number, UserGroupEvent["kind"]>();
  readonly #loaded: UserGroupEvent[] = [];
  /** Number of states that are being loaded. */
  #loading = 0;
  #taker: EventTaker<UserGroupEvent> | undefined;
  /** Whether the taker has asked for an event that it has not got. */
  #isAsked = false;
  #isDeleted = false;
  #error: Error | undefined;
  #hasEnded = false;
  #expiresAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param onEnd called once when the subscription ends, for any reason */
  constructor(
    readonly source: SubscriptionSource,
    private readonly credential: WatchCredential,
    private readonly onEnd: () => void,
  ) {}

  get isOpen(): boolean {
    return !this.#hasEnded && (this.#expiresAt === undefined || Date.now() < this.#expiresAt);
  }

  /**
   * Checks the credential, and loads the state of the one group as the first event.
   * @returns false if the group does not exist
   * @throws DomainError
   */
  async start(deadline: Deadline | undefined): Promise<boolean> {
    const { groupId } = this.source;
    const id = groupId ?? NO_GROUP;
    this.#receive(id, "current", await this.source.load(id, deadline));
    if (this.#error) throw this.#error;
    return groupId === null || this.#loaded.some(({ group }) => group !== null);
  }

  follow(taker: EventTaker<UserGroupEvent>): void {
    this.#taker = taker;
    if (this.#hasEnded) taker.onEnd(this.#error);
  }

  request(): void {
    this.#isAsked = true;
    this.#advance();
  }

  /** For graphql-js, which takes subscriptions to be iterable; transports follow them. */
  [Symbol.asyncIterator](): AsyncIterator<UserGroupEvent> {
    return toReadable(this)[Symbol.asyncIterator]();
  }

  onChange({ id, kind }: GroupChange): void {
    // The notification of an earlier change may arrive after that of the deletion.
    if (this.#hasEnded || this.#changes.get(id) === "deleted") return;
    this.#changes.set(id, kind);
    if (this.#changes.size > MAX_CHANGED_GROUPS) {
      const message = "Events were not read fast enough. Read the user groups again, then subscribe again.";
      this.end(new DomainError("slow_consumer", message, { retryAfter: 1 }));
    }
    this.#advance();
  }

  /** Ends the subscription. @param error tells the taker why, in place of the events that wait */
  end(error?: Error): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#error = error;
    this.#changes.clear();
    clearTimeout(this.#timer);
    this.onEnd();
    this.#taker?.onEnd(error);
  }

  /** Gives the taker the event that it has asked for, or loads the next ones. */
  #advance(): void {
    if (!this.#isAsked || this.#hasEnded || this.#loading > 0) return;
    const event = this.#loaded.shift();
    if (event) {
      this.#isAsked = false;
      this.#isDeleted = !event.group && this.source.groupId !== null;
      this.#taker?.onEvent(event);
    } else if (this.#isDeleted) this.end();
    else this.#loadChanges();
  }

  #loadChanges(): void {
    const changes = [...this.#changes].slice(0, CHUNK_SIZE);
    this.#loading = changes.length;
    for (const [id, kind] of changes) {
      this.#changes.delete(id);
      this.source.loadChanged(id, (outcome) => {
        this.#loading -= 1;
        if (outcome.status === "rejected") this.end(outcome.reason);
        else this.#receive(id, kind, outcome.value);
        this.#advance();
      });
    }
  }

  #receive(id: number, kind: UserGroupEvent["kind"], state: WatchState): void {
    const { group } = state;
    // A deletion reaches front ends, too: their token was valid until then.
    const isDeletion = !group && kind !== "current" && !["apiKey", "person"].includes(this.credential.kind);
    const expiresAt = isDeletion ? null : expiryOf(this.credential, state);
    if (expiresAt === undefined) {
      this.end(invalidCredentialError(this.credential));
      return;
    }
    this.#expireAt(expiresAt?.getTime());
    // For all groups, the deletion follows as a change of its own.
    if (group || kind === "deleted" || this.source.groupId !== null)
      this.#loaded.push(new UserGroupEvent(id, group ? kind : "deleted", group, this));
  }

  #expireAt(time: number | undefined): void {
    if (time === this.#expiresAt) return;
    this.#expiresAt = time;
    this.#scheduleExpiry();
  }

  #scheduleExpiry(): void {
    clearTimeout(this.#timer);
    if (this.#hasEnded || this.#expiresAt === undefined) return;
    const left = this.#expiresAt - Date.now();
    if (left <= 0) this.end(expiredCredentialError(this.credential));
    else this.#timer = setTimeout(() => this.#scheduleExpiry(), Math.min(left, MAX_TIMER_MS)).unref();
  }
}
