import type { WebSocket } from "@fastify/websocket";
import { DomainError } from "../../../domain/shared/errors.js";
import type { UnreadBudget, UnreadStream } from "../streams/unread-budget.js";

/** Interval of pings; a client that has not answered the previous one is disconnected. */
const PING_MS = 12_000;
/** Time for a client to read the unread data and answer the close frame. */
const CLOSE_MS = 5_000;
/** Maximum bytes of a close reason. */
const MAX_REASON_BYTES = 123;

/** Close codes besides those that graphql-ws sends. */
export const CLOSE_CODES = {
  goingAway: 1001,
  tryAgainLater: 1013,
  badRequest: 4400,
  forbidden: 4403,
  internal: 4500,
} as const;

/** One WebSocket. Unread data is buffered in memory and counts against the budget of event streams. */
export class SocketConnection implements UnreadStream {
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>;
  readonly #socket: WebSocket;
  readonly #budget: UnreadBudget;
  readonly #aborts = new Set<AbortController>();
  #unread = 0;
  #messagesInProgress = 0;
  #isGoingAway = false;

  constructor(socket: WebSocket, budget: UnreadBudget) {
    this.#socket = socket;
    this.#budget = budget;
    let isAlive = true;
    const pings = setInterval(() => {
      if (!isAlive) socket.terminate();
      else if (this.isOpen) socket.ping();
      isAlive = false;
    }, PING_MS).unref();
    socket.on("pong", () => {
      isAlive = true;
    });
    // Answered here, because unread answers count against the budget.
    socket.on("ping", (data: Buffer) => {
      this.#write(data.length, (done) => socket.pong(data, undefined, done));
    });
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        clearInterval(pings);
        this.#setUnread(0);
        for (const abort of this.#aborts) abort.abort();
        resolve();
      });
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** Whether the service is shutting down, so that no operation may start. */
  get isGoingAway(): boolean {
    return this.#isGoingAway;
  }

  /** Bytes buffered in memory until the client reads them. */
  get unread(): number {
    return this.#unread;
  }

  /** Sends a message; closes the socket if the client has not read enough of the previous ones. */
  send(message: string): void {
    this.#write(Buffer.byteLength(message), (done) => this.#socket.send(message, done));
  }

  /** @param reason replaced by the code if it is too long for a close frame */
  close(code: number, reason: string): void {
    if (!this.isOpen) return;
    this.#socket.close(code, Buffer.byteLength(reason) <= MAX_REASON_BYTES ? reason : String(code));
    const timer = setTimeout(() => this.destroy(), CLOSE_MS).unref();
    this.#socket.once("close", () => clearTimeout(timer));
  }

  /** Closes the socket with the code for this error. */
  closeWithError({ code, message }: DomainError): void {
    this.close(closeCodeOf(code), message);
  }

  /** Closes the connection and discards unread data. */
  destroy(): void {
    this.#socket.terminate();
  }

  /** Closes the socket once the operations in progress have ended. */
  goAway(): void {
    this.#isGoingAway = true;
    if (this.#messagesInProgress === 0) this.close(CLOSE_CODES.goingAway, "The service is shutting down.");
  }

  /** Runs the handler of a message, which takes as long as the operation that the message starts. */
  async handle(message: () => Promise<void>): Promise<void> {
    this.#messagesInProgress += 1;
    try {
      await message();
    } finally {
      this.#messagesInProgress -= 1;
      if (this.#isGoingAway) this.goAway();
    }
  }

  /** Runs an operation with a signal that aborts when the client disconnects. */
  async withSignal<Result>(operation: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const abort = new AbortController();
    this.#aborts.add(abort);
    try {
      return await operation(abort.signal);
    } finally {
      this.#aborts.delete(abort);
    }
  }

  #write(bytes: number, send: (done: () => void) => void): void {
    if (!this.isOpen) return;
    try {
      this.#budget.reserve(this, bytes);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.closeWithError(error);
      return;
    }
    // Making room may have closed this socket.
    if (!this.isOpen) return;
    const update = () => this.#setUnread(this.isOpen ? this.#socket.bufferedAmount : 0);
    send(update);
    update();
  }

  #setUnread(unread: number): void {
    this.#budget.recordUnread(this, unread - this.#unread);
    this.#unread = unread;
  }
}

function closeCodeOf(code: DomainError["code"]): number {
  switch (code) {
    case "unauthenticated":
    case "forbidden":
      return CLOSE_CODES.forbidden;
    case "internal":
      return CLOSE_CODES.internal;
    default:
      return CLOSE_CODES.tryAgainLater;
  }
}
