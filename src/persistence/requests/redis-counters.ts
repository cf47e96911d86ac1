import { setTimeout as sleep } from "node:timers/promises";
import type { Counter, SharedCounters } from "../../domain/requests/rate-limit.js";
import { RedisConnection, type RedisTimeouts } from "./redis-connection.js";

const PREFIX = "user-groups:rate:";
const RETRY_MS = 1000;
const TIMEOUTS: RedisTimeouts = { connectMs: 1000, answerMs: 100 };

/** Takes all cost units or none; the first request starts the window. Uses the clock of Redis, as those of the processes may differ. */
const TAKE = `
local cost, limit, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local used = tonumber(redis.call("GET", KEYS[1]) or "0")
local taken = 0
if used + cost <= limit then
  taken = 1
  used = redis.call("INCRBY", KEYS[1], cost)
end
local left = redis.call("PTTL", KEYS[1])
if left < 0 then
  redis.call("PEXPIRE", KEYS[1], window)
  left = window
end
return {taken, used, left}`;

/** Called when Redis becomes unreachable and reachable again. */
export interface ConnectionListener {
  onLost(reason: unknown): void;
  onRestored(): void;
}

/** Rate limit counters in Redis. Reconnects once a second while Redis is unreachable. */
export class RedisCounters implements SharedCounters {
  readonly #url: string;
  readonly #timeouts: RedisTimeouts;
  readonly #stop = new AbortController();
  #connection: RedisConnection | undefined;
  #running: Promise<void> | undefined;

  constructor(url: string, timeouts = TIMEOUTS) {
    this.#url = url;
    this.#timeouts = timeouts;
  }

  /** Connects and reconnects until `close`. Resolves after the first attempt, even if it fails. */
  async open(listener: ConnectionListener): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#running ??= this.#stayConnected(listener, resolve);
    });
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#connection?.close();
    await this.#running;
  }

  get isReachable(): boolean {
    return this.#connection !== undefined;
  }

  async take(name: string, cost: number, limit: number, windowMs: number): Promise<Counter> {
    if (!this.#connection) throw new Error("Redis is unreachable.");
    return take(this.#connection, name, [cost, limit, windowMs]);
  }

  async #stayConnected(listener: ConnectionListener, onAttempted: () => void): Promise<void> {
    let isLost = false;
    while (!this.#stop.signal.aborted) {
      const reason = await this.#useConnection(() => {
        if (isLost) listener.onRestored();
        isLost = false;
        onAttempted();
      });
      if (this.#stop.signal.aborted) break;
      if (!isLost) listener.onLost(reason);
      isLost = true;
      onAttempted();
      await sleep(RETRY_MS, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
    onAttempted();
  }

  /** Uses one connection until it is lost. @returns the reason for its loss or failure */
  async #useConnection(onConnected: () => void): Promise<unknown> {
    let connection: RedisConnection | undefined;
    try {
      connection = await RedisConnection.open(this.#url, this.#timeouts);
      // Checks that Redis accepts writes.
      await take(connection, "probe", [1, Number.MAX_SAFE_INTEGER, RETRY_MS]);
      if (this.#stop.signal.aborted) return undefined;
      this.#connection = connection;
      onConnected();
      return await connection.lost;
    } catch (error) {
      return error;
    } finally {
      this.#connection = undefined;
      connection?.close();
    }
  }
}

async function take(
  connection: RedisConnection,
  name: string,
  values: readonly [cost: number, limit: number, windowMs: number],
): Promise<Counter> {
  const reply = await connection.evaluate(TAKE, [PREFIX + name], values.map(String));
  const [taken, used, endsInMs] = Array.isArray(reply) ? reply.map(Number) : [];
  if (used === undefined || endsInMs === undefined) throw new Error("Redis returned an unexpected reply.");
  return { taken: taken === 1, used, endsInMs };
}
