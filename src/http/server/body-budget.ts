import type { ServerResponse } from "node:http";
import { type Readable, Transform, type TransformCallback } from "node:stream";
import type { FastifyInstance } from "fastify";
import { DomainError } from "../../domain/shared/errors.js";
import { SMALL_BODY_LIMIT } from "../../graphql/server/caller-identification.js";
import type { Metrics } from "../../telemetry/metrics.js";

/** Bodies of a declared length up to this one are not counted: most are that small, and arrive in one piece. */
const UNCOUNTED_BODY = 4096;
/** Smaller chunks are copied together, so that a body sent byte by byte takes no more memory than any other. */
const BLOCK = 4096;
/** Share of the budget for bodies that need no API key: without one, nobody can use up the whole. */
const SMALL_SHARE = 0.25;
/** How long nothing has come of a body that may be ended in favour of another one. */
const IDLE_MS = 2_000;
const RETRY_AFTER_S = 5;

/**
 * Bounds what the process holds of bodies that are still arriving. Beyond the budget the body of which nothing has come for longest is
 * refused, or else the one that would exceed it.
 */
export class BodyBudget {
  readonly #large: Share;
  readonly #small: Share;

  constructor(maxBytes: number, metrics: Pick<Metrics, "budgetRefusals">) {
    const small = Math.floor(maxBytes * SMALL_SHARE);
    this.#small = new Share(small, metrics);
    this.#large = new Share(maxBytes - small, metrics);
  }

  /** How many bytes there are. */
  get total(): number {
    return this.#small.total + this.#large.total;
  }

  /** Counts the bodies of a server's requests, and holds those to their limit that have one of their own (`maxBodyBytes`). */
  watch(app: FastifyInstance): void {
    app.decorateRequest("maxBodyBytes", undefined);
    app.addHook("preParsing", (request, reply, payload, done) => {
      const { "content-length": length, "transfer-encoding": coding } = request.headers;
      const declared = coding === undefined ? Number(length ?? 0) : undefined;
      const { bodyLimit = SMALL_BODY_LIMIT } = request.routeOptions;
      const limit = request.maxBodyBytes ?? bodyLimit;
      if (declared !== undefined && declared <= UNCOUNTED_BODY) {
        done(null, payload);
      } else if (declared !== undefined && declared > limit && limit < bodyLimit) {
        // The client may go on to send the body.
        reply.header("connection", "close");
        done(tooLarge(limit));
      } else {
        const share = limit <= SMALL_BODY_LIMIT ? this.#small : this.#large;
        // Fastify holds the body to the limit of the route.
        const own = limit < bodyLimit ? limit : Number.POSITIVE_INFINITY;
        done(null, share.count(payload, reply.raw, own));
      }
    });
  }
}

/** A part of the budget. */
class Share {
  readonly #maxBytes: number;
  readonly #metrics: Pick<Metrics, "budgetRefusals">;
  /** The one of which nothing has come for longest is the first. */
  readonly #receiving = new Set<CountedBody>();
  #total = 0;

  constructor(maxBytes: number, metrics: Pick<Metrics, "budgetRefusals">) {
    this.#maxBytes = maxBytes;
    this.#metrics = metrics;
  }

  get total(): number {
    return this.#total;
  }

  /** @param limit of the body, in bytes */
  count(payload: Readable, reply: ServerResponse, limit: number): Readable {
    const body = new CountedBody(limit, (bytes) => this.#receive(body, bytes));
    body.once("refused", () => {
      // Node would read the rest of the body, only to drop it.
      if (!reply.headersSent) reply.setHeader("connection", "close");
    });
    body.once("close", () => this.#release(body));
    // Its reader handles its errors; once the request was refused, as too large for instance, there is none.
    body.on("error", () => undefined);
    payload.once("error", (error) => body.destroy(error));
    // Later than the error of a request that broke off, of which the reader of the body must learn.
    reply.once("close", () => setImmediate(() => body.destroy()));
    return payload.pipe(body);
  }

  #receive(body: CountedBody, bytes: number): boolean {
    // Last, as something has come of it just now.
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

/** A body on its way, which is counted. */
class CountedBody extends Transform {
  held = 0;
  /** When something came last. */
  receivedAt = 0;
  readonly #limit: number;
  readonly #receive: (bytes: number) => boolean;
  #received = 0;
  #block: Buffer | undefined;
  #used = 0;

  /** @param receive whether further bytes may be held; destroys the body if not */
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

  /** @returns whether there was room */
  #hold(chunk: Buffer): boolean {
    if (chunk.length >= BLOCK || this.#used + chunk.length > BLOCK) this.#pushBlock();
    if (chunk.length >= BLOCK) {
      if (!this.#receive(chunk.length)) return false;
      this.push(chunk);
      return true;
    }
    if (!this.#block) {
      if (!this.#receive(BLOCK)) return false;
      this.#block = Buffer.allocUnsafeSlow(BLOCK);
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
      figures: { limit },
    },
  );
}
