import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { DomainError } from "../../domain/shared/errors.js";
import { CLOSE_IDLE_SESSIONS, clientOptions, type DatabaseOptions } from "../shared/database-options.js";
import type { Queryable, Statement } from "../shared/statement.js";

/** PostgreSQL channels. A trigger publishes the IDs of revoked API keys; services publish the others. */
const CHANNELS = ["user_group_changed", "api_key_revoked", "console_session_ended"] as const;

export type Channel = (typeof CHANNELS)[number];

// Raw SQL: TypeORM has no notifications.

/** Publishes on a channel; changes, after the reply to the request that made them. */
export const NOTIFY_CHANGES: Statement = {
  name: "notify_changes",
  access: "write",
  text: "SELECT pg_notify($2, payload) FROM unnest($1::text[]) AS payload",
};
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 1_000;
/** A silent connection may be a lost one. */
const HEARTBEAT_MS = 500;
/** Time without an answer after which notifications may be missing. */
const MAX_SILENCE_MS = 2 * HEARTBEAT_MS;

/** A subscriber to one channel. */
export interface ChannelListener {
  readonly channel: Channel;
  onPayload(payload: string): void;
  /** Called after the connection was lost: notifications may have been missed. */
  onGap?(): void;
}

export interface ListenOptions extends Pick<DatabaseOptions, "connectTimeoutMs"> {
  /** Must not be a transaction-mode pooler: LISTEN is bound to a connection. */
  readonly target: DatabaseOptions["target"];
}

/** LISTEN/NOTIFY between the processes on one database. A listening process holds one connection. */
export class NotificationChannel {
  readonly #listeners: ChannelListener[] = [];
  /** Callbacks of `listen` calls, run when the connection state changes. */
  readonly #waiters = new Set<() => void>();
  #isListening = false;
  /** When the connection began to listen, and when the last heartbeat that it answered was sent, in milliseconds of `performance.now()`. */
  #listeningSince = Number.POSITIVE_INFINITY;
  #completeUntil = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(
    private readonly db: Queryable,
    private readonly options: ListenOptions,
  ) {}

  get isListening(): boolean {
    return this.#isListening;
  }

  /**
   * Returns the time since which every notification has arrived, in milliseconds of `performance.now()`; infinity if some of the last
   * second may be missing.
   */
  get completeSince(): number {
    const isComplete = this.#isListening && performance.now() - this.#completeUntil < MAX_SILENCE_MS;
    return isComplete ? this.#listeningSince : Number.POSITIVE_INFINITY;
  }

  /** Publishes payloads, by default user group changes. @throws DomainError `unavailable` when the database is unreachable */
  async publish(payloads: readonly string[], channel: Channel = "user_group_changed"): Promise<void> {
    await this.db.run(NOTIFY_CHANGES, [payloads, channel]);
  }

  addListener(listener: ChannelListener): void {
    this.#listeners.push(listener);
  }

  /** Starts listening in the background until `close`; reconnects whenever the connection is lost. */
  start(): void {
    this.#running ??= this.#runListener();
  }

  /**
   * Listens until `close`; resolves once the connection listens.
   * @throws DomainError `unavailable` when the database is unreachable
   */
  async listen(): Promise<void> {
    this.start();
    if (this.#isListening) return;
    await new Promise<void>((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        this.#waiters.delete(settle);
        if (this.#isListening) resolve();
        else
          reject(
            new DomainError(
              "unavailable",
              "Changes cannot be subscribed to at the moment. Try again shortly.",
              { retryAfter: 1 },
            ),
          );
      };
      const timer = setTimeout(settle, this.options.connectTimeoutMs);
      this.#waiters.add(settle);
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #runListener(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (!this.#stop.signal.aborted) {
      const client = this.#newClient();
      const disconnected = new AbortController();
      const signal = AbortSignal.any([this.#stop.signal, disconnected.signal]);
      // An unhandled `error` event would crash the process.
      client.on("error", () => disconnected.abort());
      client.on("end", () => disconnected.abort());
      client.on("notification", ({ channel, payload = "" }) => {
        for (const listener of this.#listeners) if (listener.channel === channel) listener.onPayload(payload);
      });
      try {
        await client.connect();
        await client.query([CLOSE_IDLE_SESSIONS, ...CHANNELS.map((name) => `LISTEN ${name}`)].join("; "));
        retryMs = FIRST_RETRY_MS;
        this.#listeningSince = performance.now();
        this.#completeUntil = this.#listeningSince;
        this.#setListening(true);
        for (;;) {
          await sleep(HEARTBEAT_MS, undefined, { signal });
          const sentAt = performance.now();
          // PostgreSQL sends the notifications of committed transactions before it is ready for the next query.
          await client.query("SELECT 1");
          this.#completeUntil = sentAt;
        }
      } catch {
        // The connection was lost, could not be opened, or was closed.
      }
      // Not awaited: on a lost connection it may never settle.
      void client.end();
      if (this.#isListening) {
        this.#setListening(false);
        for (const listener of this.#listeners) listener.onGap?.();
      }
      await sleep(retryMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS);
    }
    this.#setListening(false);
  }

  #setListening(isListening: boolean): void {
    this.#isListening = isListening;
    for (const settle of [...this.#waiters]) settle();
  }

  #newClient(): Client {
    const { target, connectTimeoutMs } = this.options;
    return new Client({
      ...clientOptions(target),
      application_name: "user-groups-listener",
      keepAlive: true,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: connectTimeoutMs,
    });
  }
}
