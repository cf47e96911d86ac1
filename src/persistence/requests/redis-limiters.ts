import { setTimeout as sleep } from "node:timers/promises";
import {
  type IRateLimiterOptions,
  RateLimiterMemory,
  RateLimiterRedis,
  RLWrapperTimeouts,
} from "rate-limiter-flexible";

/** Time between checks of the connection, and between attempts to connect. */
const CHECK_MS = 1000;
/** Time without any answer after which the connection is replaced. */
const DEAD_AFTER_MS = 5000;
const PREFIX = "user-groups:rate";

export interface RedisTimeouts {
  readonly connectMs: number;
  /** Timeout of a command, which limits the wait of each request. */
  readonly answerMs: number;
}

const TIMEOUTS: RedisTimeouts = { connectMs: 1000, answerMs: 100 };

interface ConnectionLog {
  warn(details: { readonly err?: unknown }, message: string): void;
}

/** The part of the Redis client that is used here; its own type lists every command. */
interface Client {
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Rate limiters that count in Redis, and in memory when Redis does not answer. */
export class RedisLimiters {
  readonly #check: RLWrapperTimeouts;
  #log: ConnectionLog | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Undefined before the first attempt. */
  #isReachable: boolean | undefined;

  private constructor(
    private readonly client: Client,
    private readonly timeouts: RedisTimeouts,
  ) {
    const options = { keyPrefix: PREFIX, points: 1, duration: 60 };
    this.#check = new RLWrapperTimeouts({ limiter: this.#limiter(options), timeoutMs: timeouts.answerMs });
  }

  static async create(url: string, timeouts = TIMEOUTS): Promise<RedisLimiters> {
    // Loaded on demand: importing the client takes 100 ms.
    const { createClient } = await import("@redis/client");
    const client = createClient({
      url,
      name: "user-groups",
      RESP: 2,
      disableOfflineQueue: true,
      maintNotifications: "disabled",
      socket: {
        connectTimeout: timeouts.connectMs,
        socketTimeout: DEAD_AFTER_MS,
        reconnectStrategy: () => CHECK_MS,
      },
    });
    return new RedisLimiters(client, timeouts);
  }

  get isReachable(): boolean {
    return this.#isReachable === true;
  }

  create(options: IRateLimiterOptions) {
    const memory = new RateLimiterMemory(options);
    const shared = new RLWrapperTimeouts({
      limiter: this.#limiter({ ...options, keyPrefix: `${PREFIX}:${options.keyPrefix}` }),
      timeoutMs: this.timeouts.answerMs,
      insuranceLimiter: memory,
    });
    return { shared, memory };
  }

  /** Connects and reconnects until `close`. Resolves after the first attempt, even if it fails. */
  async open(log: ConnectionLog): Promise<void> {
    this.#log = log;
    const { connectMs } = this.timeouts;
    const failed = new Promise<void>((resolve) => {
      this.client.on("error", (error) => {
        this.#lose(error);
        resolve();
      });
    });
    const connected = this.client.connect().catch((error: unknown) => this.#lose(error));
    await Promise.race([connected, failed, sleep(connectMs, undefined, { ref: false })]);
    await this.#checkAnswer();
    this.#timer = setInterval(() => void this.#checkAnswer(), CHECK_MS);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#log = undefined;
    this.client.destroy();
  }

  #limiter(options: IRateLimiterOptions): RateLimiterRedis {
    return new RateLimiterRedis({ ...options, storeClient: this.client, useRedisPackage: true });
  }

  /** Checks that Redis accepts writes. */
  async #checkAnswer(): Promise<void> {
    try {
      if (!this.client.isReady) throw new Error(`Redis did not answer within ${this.timeouts.connectMs} ms.`);
      await this.#check.consume("check", 0);
      if (this.#isReachable === false) this.#log?.warn({}, "Redis is reachable again");
      this.#isReachable = true;
    } catch (error) {
      this.#lose(error);
    }
  }

  #lose(reason: unknown): void {
    if (this.#isReachable !== false)
      this.#log?.warn({ err: reason }, "Redis is unreachable: each process counts rate limits separately");
    this.#isReachable = false;
  }
}
