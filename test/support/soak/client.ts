import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { Pool } from "undici";

/** A reply; its body is JSON. */
export interface Reply {
  readonly status: number;
  readonly body: ReturnType<typeof JSON.parse>;
}

const TIMEOUT_MS = 120_000;

/** Calls a service over a connection pool. */
export class SoakClient {
  readonly #url: URL;
  readonly #key: string;
  readonly #pool: Pool;

  constructor(url: string, key: string, connections: number) {
    this.#url = new URL(url);
    this.#key = key;
    this.#pool = new Pool(url, { connections });
  }

  rest(method: string, body: object | string, headers: object = {}): Promise<Reply> {
    return this.#call(method, "/api/user", body, headers);
  }

  graphql(query: string, variables: object = {}): Promise<Reply> {
    return this.#call("POST", "/graphql", { query, variables });
  }

  /** Subscribes, and disconnects after the first event or immediately. @returns the status; null without an event */
  async follow(groupId: string, stay: false | (() => Promise<unknown>)): Promise<number | null> {
    const { statusCode, body } = await this.#pool.request({
      method: "POST",
      path: "/graphql",
      headers: { ...this.#headers(), accept: "text/event-stream" },
      body: subscriptionTo(groupId),
      signal: AbortSignal.timeout(TIMEOUT_MS),
      // A stream occupies its connection.
      reset: true,
    });
    // Destroying the stream is an error for its reader.
    body.on("error", () => undefined);
    try {
      if (statusCode !== 200 || !stay) return statusCode;
      await stay();
      for await (const part of body) if (String(part).includes("event: next")) return statusCode;
      return null;
    } catch {
      return null;
    } finally {
      body.destroy();
    }
  }

  /** Subscribes, and disconnects before the reply. */
  async abandon(groupId: string): Promise<null> {
    const body = subscriptionTo(groupId);
    const headers = Object.entries({
      ...this.#headers(),
      host: this.#url.host,
      accept: "text/event-stream",
      "content-length": Buffer.byteLength(body),
    });
    const head = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    await this.raw(`POST /graphql HTTP/1.1\r\n${head}\r\n${body}`, false);
    return null;
  }

  /** Sends arbitrary bytes. @returns the status; null without a reply, or without waiting for one */
  async raw(bytes: string, waits: boolean): Promise<number | null> {
    const socket = connect(Number(this.#url.port), this.#url.hostname);
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy());
    socket.on("error", () => undefined);
    try {
      await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
      if (!waits) return null;
      const [, status] = /^HTTP\/1\.1 (\d+)/.exec(await text(socket)) ?? [];
      return status === undefined ? null : Number(status);
    } finally {
      socket.destroy();
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #call(method: string, path: string, body: object | string, headers: object = {}): Promise<Reply> {
    const reply = await this.#pool.request({
      method,
      path,
      headers: { ...this.#headers(), ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    const content = await reply.body.text();
    return { status: reply.statusCode, body: content === "" ? undefined : JSON.parse(content) };
  }

  #headers() {
    return { authorization: `Token ${this.#key}`, "content-type": "application/json" };
  }
}

function subscriptionTo(groupId: string): string {
  const query =
    "subscription ($by: UserGroupBy!) { userGroupChanged(by: $by) { kind userGroup { name version } } }";
  return JSON.stringify({ query, variables: { by: { providedId: groupId } } });
}
