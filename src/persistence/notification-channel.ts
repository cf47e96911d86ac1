import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { clientOptions, type DatabaseOptions } from "./database-options.js";
import type { Queryable } from "./statement.js";

const CHANNEL = "user_group_changed";
const NOTIFY = {
  name: "notify_changes",
  text: `SELECT pg_notify('${CHANNEL}', payload) FROM unnest($1::text[]) AS payload`,
};
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;

/** What happens on the channel. */
export interface ChannelListener {
  onPayload(payload: string): void;
  /** Notifications may have been missed: the connection was lost, or has just been made anew. */
  onGap(): void;
}

/** PostgreSQL's LISTEN and NOTIFY between the processes on one database, over one connection for each that listens. */
export class NotificationChannel {
  readonly #db: Queryable;
  readonly #target: DatabaseOptions["target"];
  #client: Client | undefined;
  #running: Promise<void> | undefined;
  readonly #stop = new AbortController();

  /** @param target the database itself, not a pooler in transaction mode: LISTEN belongs to a connection */
  constructor(db: Queryable, target: DatabaseOptions["target"]) {
    this.#db = db;
    this.#target = target;
  }

  /** Tells all that listen. @throws DomainError `unavailable` when the database is out of reach */
  async publish(payloads: readonly string[]): Promise<void> {
    await this.#db.run(NOTIFY, [payloads]);
  }

  /** Listens until `close`; resolves once notifications arrive. A lost connection is made anew, time and again. */
  async listen(listener: ChannelListener): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#running ??= this.#keepListening(listener, resolve);
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#client?.end();
    await this.#running;
  }

  async #keepListening(listener: ChannelListener, onListening: () => void): Promise<void> {
    let retryMs = FIRST_RETRY_MS;
    let listenedBefore = false;
    while (!this.#stop.signal.aborted) {
      const client = new Client({
        ...clientOptions(this.#target),
        application_name: "user-groups-listener",
        keepAlive: true,
      });
      const lost = new Promise<void>((resolve) => {
        client.once("end", resolve);
        client.once("error", () => resolve());
      });
      try {
        this.#client = client;
        await client.connect();
        client.on("notification", ({ payload }) => listener.onPayload(payload ?? ""));
        await client.query(`LISTEN ${CHANNEL}`);
        retryMs = FIRST_RETRY_MS;
        if (listenedBefore) listener.onGap();
        listenedBefore = true;
        onListening();
        await lost;
      } catch {
        // Out of reach: the next round tries again.
      }
      await client.end().catch(() => undefined);
      if (this.#stop.signal.aborted) return;
      if (listenedBefore) listener.onGap();
      await sleep(retryMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
    }
  }
}
