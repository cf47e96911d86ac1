import { setImmediate } from "node:timers/promises";

/** How long Redis may take, in milliseconds. */
export interface RedisTimeouts {
  readonly connectMs: number;
  /** No request waits longer than this. */
  readonly answerMs: number;
}

/** What is used of the client; its own type names every command there is. */
interface Client {
  connect(): Promise<unknown>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  destroy(): void;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** One connection to Redis, up to the first thing that goes wrong with it: then it is closed, and of no use any more. */
export class RedisConnection {
  /** Resolves, with the reason, once the connection is lost. */
  readonly lost: Promise<unknown>;
  readonly #client: Client;
  readonly #answerMs: number;
  readonly #end: (reason: unknown) => void;

  private constructor(client: Client, answerMs: number) {
    this.#client = client;
    this.#answerMs = answerMs;
    let tell: (reason: unknown) => void = () => undefined;
    this.lost = new Promise((resolve) => {
      tell = resolve;
    });
    this.#end = (reason) => {
      tell(reason);
      client.destroy();
    };
    client.on("error", this.#end);
  }

  /** @throws Error when Redis is out of reach, does not let us in or does not answer */
  static async open(url: string, { connectMs, answerMs }: RedisTimeouts): Promise<RedisConnection> {
    // Only who uses Redis loads its client, which takes a tenth of a second.
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
    await connection.#within(connectMs, client.connect());
    return connection;
  }

  /** Runs a script. @throws Error when it fails for whatever reason, which ends the connection */
  async evaluate(script: string, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    return this.#within(
      this.#answerMs,
      this.#client.eval(script, { keys: [...keys], arguments: [...values] }),
    );
  }

  close(): void {
    this.#end(new Error("The connection was closed."));
  }

  async #within<Result>(milliseconds: number, answer: Promise<Result>): Promise<Result> {
    let answered = false;
    const timer = setTimeout(async () => {
      // After the process was busy, an answer may have arrived that nobody has read.
      await setImmediate();
      if (!answered) this.#end(new Error(`Redis did not answer within ${milliseconds} ms.`));
    }, milliseconds);
    try {
      return await answer;
    } catch (error) {
      this.#end(error);
      // An earlier reason tells more than that the connection was closed.
      throw await this.lost;
    } finally {
      answered = true;
      clearTimeout(timer);
    }
  }
}
