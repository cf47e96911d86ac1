import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { DomainError } from "../../domain/shared/errors.js";
import { clientOptions, type DatabaseOptions, END_IF_ABANDONED } from "../shared/database-options.js";
import type { Queryable, Statement } from "../shared/statement.js";

/** PostgreSQL's channels: changes of groups, which services publish, and ids of revoked API keys, which a trigger does. */
const CHANNELS = ["user_group_changed", "api_key_revoked"] as const;

export type Channel = (typeof CHANNELS)[number];

const NOTIFY: Statement = {
  name: "notify_changes",
  access: "write",
  text: `SELECT pg_notify('${CHANNELS[0]}', payload) FROM unnest($1::text[]) AS payload`,
};
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 1_000;
/** How often the database is asked for a sign of life: a connection on which nothing comes may be one that is lost. */
const HEARTBEAT_MS = 2_000;

/** What happens on one of the channels. */
export interface ChannelListener {
  readonly channel: Channel;
  onPayload(payload: string): void;
  /** The connection was lost: notifications may have been missed. */
  onGap?(): void;
}

/** How the channels are listened to. */
export interface ListenOptions extends Pick<DatabaseOptions, "connectTimeoutMs"> {
  /** The database itself, not a pooler in transaction mode: LISTEN belongs to a connection. */
  readonly target: DatabaseOptions["target"];
}

/** PostgreSQL's LISTEN and NOTIFY between the processes on one database, over one connection for each that listens. */
export class NotificationChannel {
  readonly #db: Queryable;
  readonly #options: ListenOptions;
  readonly #listeners: ChannelListener[] = [];
  /** Told once notifications arrive. */
  readonly #waiting = new Set<() => void>();
  #isListening = false;
  #running: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(db: Queryable, options: ListenOptions) {
    this.#db = db;
    this.#options = options;
  }

  /** Whether notifications arrive. */
  get isListening(): boolean {
    return this.#isListening;
  }

  /** Notifies all that listen to changes of groups. @throws DomainError `unavailable` when the database cannot be reached */
  async publish(payloads: readonly string[]): Promise<void> {
    await this.#db.run(NOTIFY, [payloads]);
  }

  addListener(listener: ChannelListener): void {
    this.#listeners.push(listener);
  }

  /** Begins to listen, until `close`, without waiting for it. A lost connection is made anew, time and again. */
  start(): void {
    this.#running ??= this.#keepListening();
  }

  /**
   * Listens until `close`; resolves once notifications arrive.
   * @throws DomainError `unavailable` when the database cannot be reached
   */
  async listen(): Promise<void> {
    this.start();
    if (this.#isListening) return;
    await new Promise<void>((resolve, reject) => {
      const settle = () => {
        clearTimeout(timer);
        this.#waiting.delete(settle);
        if (this.#isListening) resolve();
        else reject(new DomainError("unavailable", "Changes cannot be followed now.", { retryAfter: 1 }));
      };
      const timer = setTimeout(settle, this.#options.connectTimeoutMs);
      this.#waiting.add(settle);
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #keepListening(): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    while (!this.#stop.signal.aborted) {
      const client = this.#newClient();
      const isOver = new AbortController();
      const signal = AbortSignal.any([this.#stop.signal, isOver.signal]);
      // An error that nobody listens to would end the process, whenever it comes.
      client.on("error", () => isOver.abort());
      client.on("end", () => isOver.abort());
      client.on("notification", ({ channel, payload = "" }) => {
        for (const listener of this.#listeners) if (listener.channel === channel) listener.onPayload(payload);
      });
      try {
        await client.connect();
        await client.query([END_IF_ABANDONED, ...CHANNELS.map((name) => `LISTEN ${name}`)].join("; "));
        retryMs = FIRST_RETRY_MS;
        this.#tell(true);
        for (;;) {
          await sleep(HEARTBEAT_MS, undefined, { signal });
          await client.query("SELECT 1");
        }
      } catch {
        // Lost, out of reach, or closed.
      }
      // Not waited for: nobody may be there to say good-bye.
      void client.end();
      if (this.#isListening) {
        this.#tell(false);
        for (const listener of this.#listeners) listener.onGap?.();
      }
      await sleep(retryMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
    this.#tell(false);
  }

  #tell(isListening: boolean): void {
    this.#isListening = isListening;
    for (const settle of [...this.#waiting]) settle();
  }

  #newClient(): Client {
    const { target, connectTimeoutMs } = this.#options;
    return new Client({
      ...clientOptions(target),
      application_name: "user-groups-listener",
      keepAlive: true,
      connectionTimeoutMillis: connectTimeoutMs,
      query_timeout: connectTimeoutMs,
    });
  }
}
