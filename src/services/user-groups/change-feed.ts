import { setTimeout as sleep } from "node:timers/promises";
import type { Tenant } from "../../domain/accounts/caller.js";
import { DomainError } from "../../domain/shared/errors.js";
import {
  decodeChanges,
  encodeChanges,
  type UserGroupChange,
  type UserGroupChangeKind,
} from "../../domain/user-groups/change.js";
import type { NotificationChannel } from "../../persistence/database/notification-channel.js";

/** PostgreSQL takes payloads of up to 8,000 bytes; a change takes up to 60. */
const CHANGES_A_PAYLOAD = 100;
/** Changes that could not be published yet; beyond, the oldest are dropped. */
const MAX_BACKLOG = 100_000;
/** How long to wait after changes could not be published. */
const RETRY_MS = 1000;
/** How long `close` tries to publish what is left, and how long it waits after it has failed. */
const CLOSE_MS = 5000;
const CLOSE_RETRY_MS = 250;
const SHUTTING_DOWN = "The service is shutting down. Subscribe anew.";

/** Follows the changes of one group. */
export interface ChangeListener {
  onChange(kind: UserGroupChangeKind): void;
  /** No more changes come, or some were missed. */
  onEnd(error: DomainError): void;
}

/** Called when changes could not be published. @param lost how many of them never will be; 0 where they are published later */
export type OnUnpublished = (error: unknown, lost: number) => void;

/** Notifies listeners in all processes of changes of groups, after they were committed. */
export class ChangeFeed {
  readonly #channel: NotificationChannel;
  readonly #listeners = new Map<string, Set<ChangeListener>>();
  #onUnpublished: OnUnpublished = () => undefined;
  #backlog: UserGroupChange[] = [];
  /** How many changes are being published. */
  #inFlight = 0;
  #isLeaving = false;
  #isClosed = false;
  #flushing: Promise<void> | undefined;

  constructor(channel: NotificationChannel) {
    this.#channel = channel;
    channel.addListener({
      channel: "user_group_changed",
      onPayload: (payload) => this.#deliver(payload),
      onGap: () =>
        this.#endAll("Changes may have been missed. Read the user group again and subscribe anew."),
    });
  }

  /** How many changes could not be published yet. */
  get unpublished(): number {
    return this.#backlog.length + this.#inFlight;
  }

  /** Sets what is called when changes could not be published. */
  reportUnpublished(onUnpublished: OnUnpublished): void {
    this.#onUnpublished = onUnpublished;
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
   * Follows the changes of one group from now on, once `listen` has resolved.
   * @returns what ends that
   * @throws DomainError `unavailable` when subscriptions have been ended
   */
  follow(tenant: Tenant, id: number, listener: ChangeListener): () => void {
    if (this.#isLeaving) throw unavailable(SHUTTING_DOWN);
    const key = keyOf({ ...tenant, id });
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    return () => {
      if (listeners.delete(listener) && listeners.size === 0) this.#listeners.delete(key);
    };
  }

  /**
   * Resolves once changes arrive: none that is committed afterwards is missed.
   * @throws DomainError `unavailable` when the database cannot be reached
   */
  async listen(): Promise<void> {
    await this.#channel.listen();
  }

  /** Ends all subscriptions, and takes no more; changes are still published. */
  endSubscriptions(): void {
    this.#isLeaving = true;
    this.#endAll(SHUTTING_DOWN);
  }

  /** Publishes what is left, as far as that is possible within some seconds, and ends. */
  async close(): Promise<void> {
    this.endSubscriptions();
    this.#isClosed = true;
    const timeout = new AbortController();
    const { signal } = timeout;
    await Promise.race([
      this.#publishAll(signal),
      sleep(CLOSE_MS, undefined, { signal }).catch(() => undefined),
    ]);
    timeout.abort();
    if (this.unpublished > 0) {
      this.#onUnpublished(new Error("The process ended before they could be published."), this.unpublished);
      this.#backlog = [];
    }
    await this.#channel.close();
  }

  async #publishAll(signal: AbortSignal): Promise<void> {
    while (this.unpublished > 0 && !signal.aborted) {
      this.#flushSoon();
      await this.#flushing;
      if (this.unpublished > 0) await sleep(CLOSE_RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  #deliver(payload: string): void {
    for (const change of decodeChanges(payload)) {
      for (const listener of this.#listeners.get(keyOf(change)) ?? []) listener.onChange(change.kind);
    }
  }

  #endAll(message: string): void {
    const error = unavailable(message);
    const listeners = [...this.#listeners.values()].flatMap((set) => [...set]);
    for (const listener of listeners) listener.onEnd(error);
  }

  async #flush(): Promise<void> {
    // What is published meanwhile goes out in the next round.
    while (this.#backlog.length > 0) {
      const changes = this.#backlog;
      this.#backlog = [];
      this.#inFlight = changes.length;
      try {
        await this.#channel.publish(toPayloads(changes));
      } catch (error) {
        this.#backlog = [...changes, ...this.#backlog].slice(-MAX_BACKLOG);
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
