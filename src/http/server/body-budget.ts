import type { ServerResponse } from "node:http";
import { type Readable, Transform, type TransformCallback } from "node:stream";
import type { FastifyInstance } from "fastify";
import { DomainError } from "../../domain/shared/errors.js";
import { SMALL_BODY_LIMIT } from "../../graphql/server/caller-identification.js";
import type { Metrics } from "../../telemetry/metrics.js";

/** Bodies with a Content-Length up to this are not counted: most are this small and arrive in one chunk. */
const UNCOUNTED_BODY_BYTES = 4096;
/** Smaller chunks are merged into blocks, so that a body sent byte by byte takes no more memory than any other. */
const BLOCK_BYTES = 4096;
/** Share of the budget for routes that need no API key, so that anonymous clients cannot exhaust the whole budget. */
const SMALL_SHARE = 0.25;
/** Idle time after which a body may be aborted in favour of another one. */
const IDLE_MS = 2_000;
const RETRY_AFTER_S = 5;

/**
 * Limits the memory for request bodies that are still arriving. If the budget is exceeded, the body that has been idle for longest is
 * rejected if it is idle long enough, otherwise the one that exceeds the budget.
 */
export class BodyBudget {
  readonly #large: Share;
  readonly #small: Share;

  constructor(maxBytes: number, metrics: Pick<Metrics, "budgetRefusals">) {
    const small = Math.floor(maxBytes * SMALL_SHARE);
    this.#small = new Share(small, metrics);
    this.#large = new Share(maxBytes - small, metrics);
  }

  /** Bytes currently held. */
  get total(): number {
    return this.#small.total + this.#large.total;
  }

  /** Counts the request bodies of a server, and enforces the limits of requests that have one (`maxBodyBytes`). */
  register(app: FastifyInstance): void {
    app.decorateRequest("maxBodyBytes", undefined);
    app.addHook("preParsing", (request, reply, payload, done) => {
      const { "content-length": length, "transfer-encoding": coding } = request.headers;
      const declared = coding === undefined ? Number(length ?? 0) : undefined;
      const { bodyLimit = SMALL_BODY_LIMIT } = request.routeOptions;
      const limit = request.maxBodyBytes ?? bodyLimit;
      if (declared !== undefined && declared <= UNCOUNTED_BODY_BYTES) {
        done(null, payload);
      } else if (declared !== undefined && declared > limit && limit < bodyLimit) {
        // The client may still send the body.
        reply.header("connection", "close");
        done(tooLarge(limit));
      } else {
        const share = limit <= SMALL_BODY_LIMIT ? this.#small : this.#large;
        // Fastify enforces the limit of the route.
        const requestLimit = limit < bodyLimit ? limit : Number.POSITIVE_INFINITY;
        done(null, share.count(payload, reply.raw, requestLimit));
      }
    });
  }
}

class Share {
  readonly #maxBytes: number;
  readonly #metrics: Pick<Metrics, "budgetRefusals">;
  /** Ordered by last activity: the body that has been idle for longest is first. */
  readonly #receiving = new Set<CountedBody>();
  #total = 0;

  constructor(maxBytes: number, metrics: Pick<Metrics, "budgetRefusals">) {
    this.#maxBytes = maxBytes;
    this.#metrics = metrics;
  }

  get total(): number {
    return this.#total;
  }

  /** @param limit maximum size of the body in bytes */
  count(payload: Readable, reply: ServerResponse, limit: number): Readable {
    const body = new CountedBody(limit, (bytes) => this.#receive(body, bytes));
    body.once("refused", () => {
      // Otherwise Node reads and discards the rest of the body.
      if (!reply.headersSent) reply.setHeader("connection", "close");
    });
    body.once("close", () => this.#release(body));
    // The consumer handles errors, but a rejected request has no consumer.
    body.on("error", () => undefined);
    payload.once("error", (error) => body.destroy(error));
    // Delayed, so that the consumer of the body sees the error of an aborted request first.
    reply.once("close", () => setImmediate(() => body.destroy()));
    return payload.pipe(body);
  }

  #receive(body: CountedBody, bytes: number): boolean {
    // Move to the end: it was active just now.
    this.#receiving.delete(body);
    this.#receiving.add(body);
    const now = performance.now();
    for (const idlest of this.#receiving) {
      if (this.#total + bytes <= this.#maxBytes) break;
      if (idlest === body || now - idlest.receivedAt < IDLE_MS) {
        this.#refuse(body);
        return false;
      }
      this.#refuse(idlest);
    }
    body.receivedAt = now;
    body.held += bytes;
    this.#total += bytes;
    return true;
  }

  #refuse(body: CountedBody): void {
    this.#metrics.budgetRefusals.of("bodies").value += 1;
    this.#release(body);
    body.emit("refused");
    body.destroy(
      new DomainError("unavailable", "Too many large requests are arriving. Try again later.", {
        retryAfter: RETRY_AFTER_S,
      }),
    );
  }

  #release(body: CountedBody): void {
    if (!this.#receiving.delete(body)) return;
    this.#total -= body.held;
  }
}

/** A request body that is counted while it arrives. */
class CountedBody extends Transform {
  held = 0;
  /** Time of the last chunk. */
  receivedAt = 0;
  readonly #limit: number;
  readonly #receive: (bytes: number) => boolean;
  #received = 0;
  #block: Buffer | undefined;
  #used = 0;

  /** @param receive reserves bytes in the budget; returns false, and destroys the body, if there is no room */
  constructor(limit: number, receive: (bytes: number) => boolean) {
    super();
    this.#limit = limit;
    this.#receive = receive;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#received += chunk.length;
    if (this.#received > this.#limit) done(tooLarge(this.#limit));
    else if (this.#hold(chunk)) done();
  }

  override _flush(done: TransformCallback): void {
    this.#pushBlock();
    done();
  }

  /** @returns false if there was no room */
  #hold(chunk: Buffer): boolean {
    if (chunk.length >= BLOCK_BYTES || this.#used + chunk.length > BLOCK_BYTES) this.#pushBlock();
    if (chunk.length >= BLOCK_BYTES) {
      if (!this.#receive(chunk.length)) return false;
      this.push(chunk);
      return true;
    }
    if (!this.#block) {
      if (!this.#receive(BLOCK_BYTES)) return false;
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    } else {
      this.receivedAt = performance.now();
    }
    this.#used += chunk.copy(this.#block, this.#used);
    return true;
  }

  #pushBlock(): void {
    if (this.#block) this.push(this.#block.subarray(0, this.#used));
    this.#block = undefined;
    this.#used = 0;
  }
}

function tooLarge(limit: number): DomainError {
  return new DomainError(
    "payload_too_large",
    `Without an API key, the body may have at most ${limit} bytes.`,
    {
      details: { limit },
    },
  );
}
