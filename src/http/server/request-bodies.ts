import { Transform } from "node:stream";
import type { FastifyInstance } from "fastify";
import { toAddressBlock } from "../../domain/requests/address-block.js";
import { DomainError } from "../../domain/shared/errors.js";
import { SMALL_BODY_LIMIT } from "../../graphql/server/caller-identification.js";
import { CountsByName } from "../../services/requests/counts-by-name.js";
import type { Metrics } from "../../telemetry/metrics.js";

/** Smaller chunks are merged into blocks: each would take more memory than its data. */
const BLOCK_BYTES = 4096;
const RETRY_AFTER_S = 5;

/**
 * Limits the memory for request bodies: enforces the limits of requests that have one (`maxBodyBytes`), and refuses bodies above 64 KiB
 * beyond a sum of their declared sizes; one address may have half of it. The bound on requests in progress limits the others.
 * @param maxBytes maximum sum
 * @returns a function that returns the current sum
 */
export function limitBodies(
  app: FastifyInstance,
  maxBytes: number,
  { shedRequests }: Pick<Metrics, "shedRequests">,
): () => number {
  let reserved = 0;
  const byAddress = new CountsByName();
  app.decorateRequest("maxBodyBytes", undefined);
  app.addHook("preParsing", (request, reply, payload, done) => {
    const { "content-length": length, "transfer-encoding": coding } = request.headers;
    const { bodyLimit = SMALL_BODY_LIMIT } = request.routeOptions;
    const limit = request.maxBodyBytes ?? bodyLimit;
    const size = coding === undefined ? Number(length ?? 0) : limit;
    const refusal = refusalOf(size);
    if (refusal) {
      // The client may still send the body.
      reply.header("connection", "close");
      done(refusal);
      return;
    }
    if (coding === undefined) {
      done(null, payload);
      return;
    }
    const merged = mergeChunks(limit);
    merged.once("error", () => reply.raw.headersSent || reply.raw.setHeader("connection", "close"));
    payload.once("error", (error) => merged.destroy(error));
    // Delayed, so that the consumer of the body sees the error of an aborted request first.
    reply.raw.once("close", () => setImmediate(() => merged.destroy()));
    done(null, payload.pipe(merged));

    function refusalOf(bytes: number): DomainError | undefined {
      // Fastify enforces the limit of the route.
      if (bytes > limit) return limit < bodyLimit ? tooLarge(limit) : undefined;
      if (bytes <= SMALL_BODY_LIMIT) return undefined;
      const block = toAddressBlock(request.ip);
      const share = byAddress.of(block);
      if (reserved + bytes > maxBytes || (share > 0 && share + bytes > maxBytes / 2)) {
        shedRequests.inc({ limit: "bodies" });
        const message = "Too many large requests are in progress. Try again later.";
        return new DomainError("unavailable", message, { retryAfter: RETRY_AFTER_S });
      }
      reserved += bytes;
      byAddress.add(block, bytes);
      reply.raw.once("close", () => {
        reserved -= bytes;
        byAddress.add(block, -bytes);
      });
      return undefined;
    }
  });
  return () => reserved;
}

/** @param limit maximum size in bytes */
function mergeChunks(limit: number): Transform {
  let received = 0;
  let used = 0;
  let block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      if (received > limit) {
        done(tooLarge(limit));
        return;
      }
      if (used + chunk.length > BLOCK_BYTES) {
        this.push(block.subarray(0, used));
        block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
        used = 0;
      }
      if (chunk.length > BLOCK_BYTES) this.push(chunk);
      else used += chunk.copy(block, used);
      done();
    },
    flush(done) {
      done(null, block.subarray(0, used));
    },
  });
}

function tooLarge(limit: number): DomainError {
  const message = `Without an API key, the body may have at most ${limit} bytes.`;
  return new DomainError("payload_too_large", message, { details: { limit } });
}
