import type { WebSocket } from "@fastify/websocket";
import type { DomainError } from "../../../domain/shared/errors.js";

/** Interval of pings; a client that has not answered the previous one is disconnected. */
const PING_MS = 12_000;
/** Maximum messages in progress, such as operations whose result was not read; beyond it, no more are read. */
const MAX_MESSAGES = 200;
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

/** Close codes of errors; others are temporary. */
const ERROR_CLOSE_CODES: Partial<Record<DomainError["code"], number>> = {
  unauthenticated: CLOSE_CODES.forbidden,
  forbidden: CLOSE_CODES.forbidden,
  internal: CLOSE_CODES.internal,
};

/** One WebSocket. */
export class SocketConnection {
  /** Resolves when the socket is closed. */
  readonly closed: Promise<void>;
  #messagesInProgress = 0;
  #isGoingAway = false;

  constructor(private readonly socket: WebSocket) {
    let isAlive = true;
    const pings = setInterval(() => {
      if (!isAlive) socket.terminate();
      else if (this.isOpen) socket.ping();
      isAlive = false;
    }, PING_MS).unref();
    socket.on("pong", () => {
      isAlive = true;
    });
    // Answered here, because an answer that was not read is a message in progress.
    socket.on("ping", (data: Buffer) => {
      if (this.isOpen) void this.handle(() => sent((done) => socket.pong(data, undefined, done)));
    });
    this.closed = new Promise((resolve) => {
      socket.once("close", () => {
        clearInterval(pings);
        resolve();
      });
    });
  }

  get isOpen(): boolean {
    return this.socket.readyState === this.socket.OPEN;
  }

  /** Sends a message, and resolves when the process no longer holds it. */
  async send(message: string): Promise<void> {
    if (this.isOpen) await sent((done) => this.socket.send(message, done));
  }

  /** @param reason replaced by the code if it is too long for a close frame */
  close(code: number, reason: string): void {
    if (!this.isOpen) return;
    this.socket.close(code, Buffer.byteLength(reason) <= MAX_REASON_BYTES ? reason : String(code));
  }

  /** Closes the socket with the code for this error. */
  closeWithError({ code, message }: DomainError): void {
    this.close(ERROR_CLOSE_CODES[code] ?? CLOSE_CODES.tryAgainLater, message);
  }

  /**
   * Closes the socket because a subscription ended that may start again: `complete` would say that its user group was deleted, and `error`
   * that it fails again. At shutdown, the other operations end first.
   */
  async end(error: DomainError): Promise<void> {
    if (!this.#isGoingAway) {
      this.closeWithError(error);
      return;
    }
    this.#messagesInProgress -= 1;
    this.goAway();
    await this.closed;
    this.#messagesInProgress += 1;
  }

  /** Closes the socket once the operations in progress have ended. */
  goAway(): void {
    this.#isGoingAway = true;
    if (this.#messagesInProgress === 0) this.close(CLOSE_CODES.goingAway, "The service is shutting down.");
  }

  /** Runs the handler of a message, which takes as long as the operation that the message starts. */
  async handle(message: () => Promise<void>): Promise<void> {
    this.#messagesInProgress += 1;
    if (this.#messagesInProgress >= MAX_MESSAGES) this.socket.pause();
    try {
      await message();
    } finally {
      this.#messagesInProgress -= 1;
      if (this.socket.isPaused && this.#messagesInProgress < MAX_MESSAGES) this.socket.resume();
      if (this.#isGoingAway) this.goAway();
    }
  }
}

/** Resolves when a frame was passed to the operating system, or the connection is closed. */
function sent(send: (done: () => void) => void): Promise<void> {
  return new Promise((resolve) => send(() => resolve()));
}
