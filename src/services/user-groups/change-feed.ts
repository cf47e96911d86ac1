import { setTimeout as sleep } from "node:timers/promises";
import type { Tenant, TenantKey } from "../../domain/accounts/caller.js";
import { DomainError } from "../../domain/shared/errors.js";
import {
  type ChangePublisher,
  decodeChanges,
  encodeChanges,
  type UserGroupChange,
  type UserGroupChangeKind,
} from "../../domain/user-groups/change.js";
import type { NotificationChannel } from "../../persistence/database/notification-channel.js";
import type { Metrics } from "../../telemetry/metrics.js";

/** Maximum number of unpublished changes; beyond it, the subscriptions of their environments start again. */
const MAX_BACKLOG = 100_000;
/** Delay before publishing is retried. */
const RETRY_MS = 1000;
/** How long `close` tries to publish the backlog, and the delay between its attempts. */
const CLOSE_MS = 5000;
const CLOSE_RETRY_MS = 250;
const SHUTTING_DOWN = "The service is shutting down. Subscribe again.";
const MISSED = "Changes may have been missed. Read the user group again, then subscribe again.";

/** A change of one group. */
export interface GroupChange {
  readonly id: number;
  readonly kind: UserGroupChangeKind;
}

export interface ChangeListener {
  onChange(change: GroupChange): void;
  /** Called when the subscription ends or changes may have been missed. */
  end(error: DomainError): void;
}

/** Called when publishing fails. @param lost number of changes that are dropped; 0 if publishing is retried */
export type OnUnpublished = (error: unknown, lost: number) => void;

/** Notifies listeners in all processes of committed changes to user groups. */
export class ChangeFeed implements ChangePublisher {
  readonly #listeners = new Map<string, Set<ChangeListener>>();
  #onUnpublished: OnUnpublished = () => undefined;
  #backlog: UserGroupChange[] = [];
  #inFlight = 0;
  #isShuttingDown = false;
  #isClosed = false;
  #flushing: Promise<void> | undefined;

  /** @param counter counts the changes by kind */
  constructor(
    private readonly channel: NotificationChannel,
    private readonly counter?: Pick<Metrics["publishedChanges"], "inc">,
  ) {
    channel.addListener({
      channel: "user_group_changed",
      onPayload: (payload) => this.#deliver(payload),
      onGap: () => this.#endAll(MISSED),
    });
  }

  /** Number of changes that are not published yet. */
  get unpublished(): number {
    return this.#backlog.length + this.#inFlight;
  }

  /** Sets the callback for changes that cannot be published. */
  reportUnpublished(onUnpublished: OnUnpublished): void {
    this.#onUnpublished = onUnpublished;
  }

  /** Publishes a change after its transaction commits. Does not block: concurrent changes are batched. */
  publish(
    { accountId, environment, transaction }: Tenant,
    id: UserGroupChange["id"],
    kind: UserGroupChangeKind,
  ): void {
    const enqueue = () => {
      this.counter?.inc({ kind });
      this.#backlog.push({ accountId, environment, id, kind });
      this.#backlog = limitBacklog(this.#backlog);
      this.#flushSoon();
    };
    if (transaction) transaction.afterCommit(enqueue);
    else enqueue();
  }

  /**
   * Subscribes to the changes of one group, or of all groups of the environment if the ID is null. None is missed that is committed once
   * `listen` has resolved.
   * @returns a function that unsubscribes
   * @throws DomainError `unavailable` after `endSubscriptions`
   */
  follow(tenant: Tenant, id: number | null, listener: ChangeListener): () => void {
    if (this.#isShuttingDown) throw unavailable(SHUTTING_DOWN);
    const key = keyOf(tenant, id ?? "*");
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#listeners.delete(key);
    };
  }

  /** @throws DomainError `unavailable` when the database is unreachable */
  listen(): Promise<void> {
    return this.channel.listen();
  }

  /** Ends all subscriptions and rejects new ones; changes are still published. */
  endSubscriptions(): void {
    this.#isShuttingDown = true;
    this.#endAll(SHUTTING_DOWN);
  }

  /** Publishes the backlog, for at most a few seconds, then closes the channel. */
  async close(): Promise<void> {
    this.endSubscriptions();
    this.#isClosed = true;
    const timeout = sleep(CLOSE_MS, "timeout", { ref: false });
    while (this.unpublished > 0) {
      this.#flushSoon();
      if ((await Promise.race([this.#flushing, timeout])) === "timeout") break;
      if (this.unpublished > 0) await sleep(CLOSE_RETRY_MS);
    }
    if (this.unpublished > 0) {
      this.#onUnpublished(
        new Error("The process exited before the changes were published."),
        this.unpublished,
      );
      this.#backlog = [];
    }
    await this.channel.close();
  }

  #deliver(payload: string): void {
    for (const { id, kind, ...tenant } of decodeChanges(payload)) {
      if (id === null) {
        this.#endAll(MISSED, keyOf(tenant, ""));
        continue;
      }
      const allGroups = keyOf(tenant, "*");
      // Followers of one group have found it, so it was created before.
      for (const key of kind === "created" ? [allGroups] : [keyOf(tenant, id), allGroups]) {
        for (const listener of this.#listeners.get(key) ?? []) listener.onChange({ id, kind });
      }
    }
  }

  /** @param prefix of the keys of the listeners */
  #endAll(message: string, prefix = ""): void {
    const error = unavailable(message);
    const followed = [...this.#listeners].filter(([key]) => key.startsWith(prefix));
    for (const listener of followed.flatMap(([, listeners]) => [...listeners])) listener.end(error);
  }

  async #flush(): Promise<void> {
    // Changes queued meanwhile are published in the next iteration.
    while (this.#backlog.length > 0) {
      const changes = this.#backlog;
      this.#backlog = [];
      this.#inFlight = changes.length;
      try {
        await this.channel.publish(encodeChanges(changes));
      } catch (error) {
        this.#backlog = limitBacklog([...changes, ...this.#backlog]);
        this.#onUnpublished(error, 0);
        if (!this.#isClosed) setTimeout(() => this.#flushSoon(), RETRY_MS).unref();
        break;
      } finally {
        this.#inFlight = 0;
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

function limitBacklog(changes: UserGroupChange[]): UserGroupChange[] {
  if (changes.length <= MAX_BACKLOG) return changes;
  const all = changes.map((change): UserGroupChange => ({ ...change, id: null, kind: "updated" }));
  return [...new Map(all.map((change) => [keyOf(change, ""), change])).values()];
}

function keyOf({ accountId, environment }: TenantKey, suffix: number | "*" | ""): string {
  return `${accountId}/${environment}/${suffix}`;
}
