import { setTimeout as sleep } from "node:timers/promises";
import { Client, type QueryConfig } from "pg";
import { isConnectionUnusable } from "../shared/database-error.js";
import {
  clientOptions,
  connectionSettings,
  type DatabaseOptions,
  IDLE_MS,
} from "../shared/database-options.js";
import { runInTransaction } from "../shared/pipelined-transaction.js";

/** Lookups in flight; further ones use the pool, which has a bounded queue. */
const MAX_IN_FLIGHT = 256;
/** Statement timeout, at most. A slow statement delays those behind it. */
const MAX_TIMEOUT_MS = 1_000;
/** A connection that has not answered for this long is skipped. */
const STALLED_AFTER_MS = 100;
/** Delay after a failed attempt to connect. */
const RECONNECT_AFTER_MS = 1_000;

/**
 * A connection that all tenants' point lookups share. Lookups are sent without waiting for earlier ones, each in a transaction of its own, and
 * PostgreSQL runs them in this order. It is opened in the background when it is first needed; until then, and after it is lost, lookups
 * use the pool.
 */
export class LookupConnection {
  readonly #timeoutMs: number;
  #client: Client | undefined;
  #isConnecting = false;
  #inFlight = 0;
  #lastActiveAt = 0;
  #isClosed = false;
  readonly #idleTimer: NodeJS.Timeout;

  constructor(private readonly options: DatabaseOptions) {
    const { statementTimeoutMs } = options;
    this.#timeoutMs = statementTimeoutMs > 0 ? Math.min(statementTimeoutMs, MAX_TIMEOUT_MS) : MAX_TIMEOUT_MS;
    this.#idleTimer = setTimeout(() => this.#closeIdle(), IDLE_MS).unref();
  }

  /** Whether lookups are in flight. */
  get isUsed(): boolean {
    return this.#inFlight > 0;
  }

  /** Whether a lookup can be sent now. Opens the connection if there is none. */
  get isReady(): boolean {
    if (!this.#client) {
      void this.#connect();
      return false;
    }
    if (this.#inFlight === 0) return true;
    return this.#inFlight < MAX_IN_FLIGHT && performance.now() - this.#lastActiveAt < STALLED_AFTER_MS;
  }

  /** @throws the driver's error; the lookup can be repeated on another connection */
  async run<Row extends object>(begin: string, config: QueryConfig): Promise<Row[]> {
    const client = this.#client;
    if (!client) throw new Error("The connection is not open.");
    if (this.#inFlight === 0) this.#lastActiveAt = performance.now();
    this.#inFlight += 1;
    try {
      // Later than the server's timeout, which keeps the connection.
      return await runInTransaction<Row>(client, begin, config, 2 * this.#timeoutMs);
    } catch (error) {
      if (isConnectionUnusable(error)) this.#drop(client);
      throw error;
    } finally {
      this.#inFlight -= 1;
      this.#lastActiveAt = performance.now();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    await this.#drop(this.#client);
  }

  async #connect(): Promise<void> {
    if (this.#isConnecting || this.#isClosed) return;
    this.#isConnecting = true;
    const { query_timeout: _, onConnect, ...settings } = connectionSettings(this.options);
    const client = new Client({
      ...clientOptions(this.options.target),
      ...settings,
      statement_timeout: this.#timeoutMs,
    });
    // An unhandled `error` event would crash the process; the lookups in flight fail and are repeated.
    client.on("error", () => this.#drop(client));
    client.on("end", () => this.#drop(client));
    try {
      await client.connect();
      await onConnect?.(client);
      this.#client = client;
      this.#idleTimer.refresh();
    } catch {
      // The pool reports the error of its own attempt.
      void client.end();
      await sleep(RECONNECT_AFTER_MS, undefined, { ref: false });
    } finally {
      this.#isConnecting = false;
    }
    if (this.#isClosed) await this.#drop(client);
  }

  /** Closes the connection, if it is the current one, once the lookups in flight have been answered. */
  async #drop(client: Client | undefined): Promise<void> {
    if (client === undefined || client !== this.#client) return;
    this.#client = undefined;
    await client.end();
  }

  #closeIdle(): void {
    if (performance.now() - this.#lastActiveAt >= IDLE_MS && this.#inFlight === 0)
      void this.#drop(this.#client);
    this.#idleTimer.refresh();
  }
}
