import type { Deadline } from "../../domain/shared/deadline.js";
import { DomainError } from "../../domain/shared/errors.js";
import type { UserGroupChangeKind } from "../../domain/user-groups/change.js";
import type { MappedDataSource } from "../../domain/user-groups/mapping.js";
import type { SubscribedGroup } from "../../persistence/user-groups/subscribed-group-queries.js";
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
  /** Loads the states of groups, in the order of the IDs. */
  load(ids: readonly number[], deadline?: Deadline): Promise<readonly WatchState[]>;
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
 * A subscription to one group or to all groups of an environment. It holds the IDs of changed groups, and loads their states when the
 * subscriber is ready for the next event, so that changes of a group that wait are merged into one event. Each state is loaded with the
 * validity of the credential, even if the notification of a revocation or rotation was lost.
 */
export class Subscription implements ChangeListener {
  /** Changes that wait: the latest kind by group. */
  readonly #changes = new Map<number, UserGroupEvent["kind"]>();
  #loaded: UserGroupEvent[] = [];
  #error: DomainError | undefined;
  #hasEnded = false;
  #expiresAt: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wake: () => void = () => undefined;

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
    await this.#load([[groupId ?? NO_GROUP, "current"]], deadline);
    if (this.#error) throw this.#error;
    return groupId === null || this.#loaded.some(({ group }) => group !== null);
  }

  /** Returns the events, and ends with the deletion of the one group. @throws the error that ended the subscription */
  async *events(): AsyncGenerator<UserGroupEvent, void, undefined> {
    try {
      while (!this.#hasEnded) {
        const event = this.#loaded.shift();
        if (event) {
          yield event;
          if (!event.group && this.source.groupId !== null) return;
        } else if (this.#changes.size > 0) {
          await this.#loadChanges();
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
      }
      if (this.#error) throw this.#error;
    } finally {
      this.end();
    }
  }

  onChange({ id, kind }: GroupChange): void {
    // The notification of an earlier change may arrive after that of the deletion.
    if (this.#hasEnded || this.#changes.get(id) === "deleted") return;
    this.#changes.set(id, kind);
    if (this.#changes.size > MAX_CHANGED_GROUPS) {
      const message = "Events were not read fast enough. Read the user groups again, then subscribe again.";
      this.end(new DomainError("slow_consumer", message, { retryAfter: 1 }));
    }
    this.#wake();
  }

  /** Ends the subscription. @param error thrown to the subscriber in place of the events that wait */
  end(error?: DomainError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#error = error;
    this.#changes.clear();
    clearTimeout(this.#timer);
    this.onEnd();
    this.#wake();
  }

  async #loadChanges(): Promise<void> {
    const changes = [...this.#changes].slice(0, CHUNK_SIZE);
    for (const [id] of changes) this.#changes.delete(id);
    await this.#load(changes);
  }

  async #load(
    changes: readonly (readonly [id: number, kind: UserGroupEvent["kind"]])[],
    deadline?: Deadline,
  ): Promise<void> {
    const states = await this.source.load(
      changes.map(([id]) => id),
      deadline,
    );
    for (const [index, [id, kind]] of changes.entries()) {
      const state = states[index];
      if (!state) throw new Error("The state of a changed user group is missing.");
      const { group } = state;
      // A deletion reaches front ends, too: their token was valid until then.
      const isDeletion = !group && kind !== "current" && !["apiKey", "person"].includes(this.credential.kind);
      const expiresAt = isDeletion ? null : expiryOf(this.credential, state);
      if (expiresAt === undefined) throw invalidCredentialError(this.credential);
      this.#expireAt(expiresAt?.getTime());
      // For all groups, the deletion follows as a change of its own.
      if (group || kind === "deleted" || this.source.groupId !== null)
        this.#loaded.push(new UserGroupEvent(id, group ? kind : "deleted", group, this));
    }
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
