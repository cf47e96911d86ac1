import type { ServerResponse } from "node:http";
import type { UnreadBudget, UnreadStream } from "./unread-budget.js";

/** Interval of keep-alive comments, so that proxies do not close the stream as idle. */
const PING_MS = 12_000;
/** Maximum time for a client to read the end of its stream. */
const END_MS = 5_000;

/**
 * Writes one stream of server-sent events (GraphQL over SSE, distinct connections mode). Unread data is buffered in memory and counts
 * against a budget.
 */
export class EventWriter implements UnreadStream {
  /** Resolves when the response or its connection is closed. */
  readonly closed: Promise<void>;
  readonly #response: ServerResponse;
  readonly #budget: UnreadBudget;
  readonly #pings: NodeJS.Timeout;
  #unread = 0;
  #hasEnded = false;

  /** @param response must have its headers set */
  constructor(response: ServerResponse, budget: UnreadBudget) {
    this.#response = response;
    this.#budget = budget;
    this.#pings = setInterval(() => this.#write(":\n\n"), PING_MS).unref();
    const { socket } = response.req;
    this.closed = new Promise((resolve) => {
      const onClose = () => {
        response.off("close", onClose);
        socket.off("close", onClose);
        this.#close();
        resolve();
      };
      response.once("close", onClose);
      // With HTTP pipelining, a response still queued behind others emits no "close" when the connection closes.
      socket.once("close", onClose);
    });
    response.writeHead(200);
    // Some browsers wait for the first byte of the body.
    this.#write(":\n\n");
  }

  /** Bytes buffered in memory until the client reads them. */
  get unread(): number {
    return this.#unread;
  }

  /** Whether the stream has ended. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Writes an event with the result of an operation. */
  next(event: Buffer): void {
    this.#write(event);
  }

  /** Ends the stream; disconnects a client that does not read the end in time. */
  complete(): void {
    if (this.#hasEnded) return;
    this.#write("event: complete\ndata:\n\n");
    this.#hasEnded = true;
    clearInterval(this.#pings);
    const timer = setTimeout(() => this.destroy(), END_MS).unref();
    void this.closed.then(() => clearTimeout(timer));
    this.#response.end();
  }

  /** Closes the connection and discards unread data. */
  destroy(): void {
    this.#close();
    this.#response.req.socket.destroy();
  }

  #write(data: string | Buffer): void {
    if (this.#hasEnded || this.#response.destroyed) return;
    this.#response.write(data, () => this.#updateUnread());
    this.#updateUnread();
  }

  #updateUnread(): void {
    // A closed connection buffers nothing, whatever `writableLength` says.
    this.#setUnread(this.#response.req.socket.destroyed ? 0 : this.#response.writableLength);
  }

  #setUnread(unread: number): void {
    this.#budget.recordUnread(this, unread - this.#unread);
    this.#unread = unread;
  }

  #close(): void {
    this.#hasEnded = true;
    clearInterval(this.#pings);
    this.#setUnread(0);
  }
}
