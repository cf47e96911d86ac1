import { setImmediate } from "node:timers/promises";

export interface RedisTimeouts {
  readonly connectMs: number;
  /** Timeout of a command, which limits the wait of each request. */
  readonly answerMs: number;
}

/** The part of the Redis client that is used; its own type lists every command. */
interface Client {
  connect(): Promise<unknown>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  destroy(): void;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** A connection to Redis that is closed for good on the first error. */
export class RedisConnection {
  /** Resolves with the reason when the connection is lost or closed. */
  readonly lost: Promise<unknown>;
  readonly #client: Client;
  readonly #answerMs: number;
  readonly #end: (reason: unknown) => void;

  private constructor(client: Client, answerMs: number) {
    this.#client = client;
    this.#answerMs = answerMs;
    let resolveLost: (reason: unknown) => void = () => undefined;
    this.lost = new Promise((resolve) => {
      resolveLost = resolve;
    });
    this.#end = (reason) => {
      resolveLost(reason);
      client.destroy();
    };
    client.on("error", this.#end);
  }

  /** @throws Error when Redis is unreachable, rejects the credentials or times out */
  static async open(url: string, { connectMs, answerMs }: RedisTimeouts): Promise<RedisConnection> {
    // Loaded on demand: importing the client takes 100 ms.
    const { createClient } = await import("@redis/client");
    const client = createClient({
      url,
      name: "user-groups",
      RESP: 2,
      disableOfflineQueue: true,
      maintNotifications: "disabled",
      socket: { connectTimeout: connectMs, reconnectStrategy: false },
    });
    const connection = new RedisConnection(client, answerMs);
    await connection.#withTimeout(connectMs, client.connect());
    return connection;
  }

  /** Runs a Lua script. @throws Error when it fails for any reason, which also closes the connection */
  async evaluate(script: string, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    return this.#withTimeout(
      this.#answerMs,
      this.#client.eval(script, { keys: [...keys], arguments: [...values] }),
    );
  }

  close(): void {
    this.#end(new Error("The connection was closed."));
  }

  async #withTimeout<Result>(milliseconds: number, answer: Promise<Result>): Promise<Result> {
    let answered = false;
    const timer = setTimeout(async () => {
      // If the event loop was blocked, a reply may have arrived that has not been read yet.
      await setImmediate();
      if (!answered) this.#end(new Error(`Redis did not answer within ${milliseconds} ms.`));
    }, milliseconds);
    try {
      return await answer;
    } catch (error) {
      this.#end(error);
      // Report the first failure, not the "connection closed" that follows from it.
      throw await this.lost;
    } finally {
      answered = true;
      clearTimeout(timer);
    }
  }
}
