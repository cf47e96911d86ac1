import type { ServerResponse } from "node:http";
import type { UnreadBudget, UnreadStream } from "./unread-budget.js";

/** How often something is written, so that no proxy takes a stream for an idle connection. */
const PING_MS = 12_000;
/** How long a client may take to read the end of its stream. */
const END_MS = 5_000;

/**
 * Writes one stream of server-sent events: the distinct connections mode of the protocol GraphQL over SSE. What its client does not read
 * stays in memory, and counts against a budget.
 */
export class EventWriter implements UnreadStream {
  /** Resolves once nothing of the stream is left. */
  readonly closed: Promise<void>;
  readonly #response: ServerResponse;
  readonly #budget: UnreadBudget;
  readonly #pings: NodeJS.Timeout;
  #unread = 0;
  #isOver = false;

  /** @param response whose headers are set */
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
      // A response that waits for the ones before it does not emit "close" when its connection is closed.
      socket.once("close", onClose);
    });
    response.writeHead(200);
    // Some browsers wait for the first byte of the body.
    this.#write(":\n\n");
  }

  /** How many bytes wait in memory for the client to read them. */
  get unread(): number {
    return this.#unread;
  }

  /** Whether nothing more can be written. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Writes an event with the result of an operation. */
  next(event: Buffer): void {
    this.#write(event);
  }

  /** Ends the stream; a client that does not read the end is cut off. */
  complete(): void {
    if (this.#isOver) return;
    this.#write("event: complete\ndata:\n\n");
    this.#isOver = true;
    clearInterval(this.#pings);
    const timer = setTimeout(() => this.destroy(), END_MS).unref();
    void this.closed.then(() => clearTimeout(timer));
    this.#response.end();
  }

  /** Closes the connection, and drops what is unread. */
  destroy(): void {
    this.#close();
    this.#response.req.socket.destroy();
  }

  #write(data: string | Buffer): void {
    if (this.#isOver || this.#response.destroyed) return;
    this.#response.write(data, () => this.#count());
    this.#count();
  }

  #count(): void {
    // Of a closed connection, nothing is kept.
    this.#account(this.#response.req.socket.destroyed ? 0 : this.#response.writableLength);
  }

  #account(unread: number): void {
    this.#budget.account(this, unread - this.#unread);
    this.#unread = unread;
  }

  #close(): void {
    this.#isOver = true;
    clearInterval(this.#pings);
    this.#account(0);
  }
}
