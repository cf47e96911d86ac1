import type { ServerResponse } from "node:http";

/** Interval of keep-alive comments, so that proxies do not close the stream as idle. */
const PING_MS = 12_000;

/**
 * Writes one stream of server-sent events (GraphQL over SSE, distinct connections mode), event by event: the handler of graphql-sse 2.6.1
 * reads events ahead into memory, without a limit.
 */
export class EventWriter {
  /** Resolves when the response or its connection is closed. */
  readonly closed: Promise<void>;
  readonly #response: ServerResponse;
  readonly #pings: NodeJS.Timeout;
  #hasEnded = false;

  /** @param response must have its headers set */
  constructor(response: ServerResponse) {
    this.#response = response;
    this.#pings = setInterval(() => {
      if (response.writableLength === 0) void this.write(":\n\n");
    }, PING_MS).unref();
    const { socket } = response.req;
    this.closed = new Promise((resolve) => {
      const onClose = () => {
        response.off("close", onClose);
        socket.off("close", onClose);
        this.#end();
        resolve();
      };
      response.once("close", onClose);
      // With HTTP pipelining, a response still queued behind others emits no "close" when the connection closes.
      socket.once("close", onClose);
    });
    response.writeHead(200);
    // Some browsers wait for the first byte of the body.
    void this.write(":\n\n");
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Writes data, and resolves when the process no longer holds it. */
  async write(data: string | Buffer): Promise<void> {
    if (this.#hasEnded || this.#response.destroyed) return;
    await new Promise<void>((resolve) => this.#response.write(data, () => resolve()));
  }

  complete(): void {
    if (this.#hasEnded) return;
    this.#end();
    this.#response.end("event: complete\ndata:\n\n");
  }

  #end(): void {
    this.#hasEnded = true;
    clearInterval(this.#pings);
  }
}
