import type { IncomingHttpHeaders } from "node:http";
import { type Readable, Transform } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { toAddressBlock } from "../../domain/requests/address-block.js";
import { DomainError } from "../../domain/shared/errors.js";
import { decodeText, isNestedDeeper, MAX_BODY_LEVELS, parseJsonText } from "../../domain/shared/json-text.js";
import { SMALL_BODY_LIMIT } from "../../graphql/server/callers.js";
import { MERGE_PATCH_TYPE } from "../../rest/openapi.js";
import type { EventLoopTurns } from "../../services/requests/event-loop-turns.js";
import { CountsByName } from "../../services/shared/counts-by-name.js";
import type { Metrics } from "../../telemetry/metrics.js";
import { continueInTurn } from "./requests.js";

declare module "fastify" {
  interface FastifyRequest {
    /** The source text of the body, on routes with `keepsBodyText` or `takesText`. */
    bodyText: string;
  }
  interface FastifyContextConfig {
    keepsBodyText?: boolean;
    /** The body is not parsed: it may be any text, sent as JSON or plain text. */
    takesText?: boolean;
    /** The body may also be sent as a JSON Merge Patch. */
    takesMergePatch?: boolean;
  }
}

const JSON_TYPE = "application/json";
/** Smaller chunks are merged into blocks: each would take more memory than its data. */
const BLOCK_BYTES = 4096;
const RETRY_AFTER_S = 5;

/**
 * Reads all request bodies as JSON: up to the size limit of the route, or of the request if that is lower (`maxBodyBytes`), then validated
 * and parsed. Bodies above 64 KiB are refused beyond a sum of their declared sizes, of which one address may have half; the bound on work
 * in progress limits the others.
 * @param maxBytes maximum sum
 * @returns a function that returns the current sum
 */
export function acceptBodies(
  app: FastifyInstance,
  maxBytes: number,
  turns: EventLoopTurns,
  { shedRequests }: Pick<Metrics, "shedRequests">,
): () => number {
  let reserved = 0;
  const byAddress = new CountsByName();
  app.decorateRequest("bodyText", "");
  app.decorateRequest("maxBodyBytes", undefined);
  app.removeAllContentTypeParsers();
  // Fastify finds the first one without parsing the header.
  const types = ["application/json", "*"];
  app.addContentTypeParser(types, { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.addHook("preParsing", (request, reply, payload, done) => {
    const { "content-length": length = 0, "transfer-encoding": coding } = request.headers;
    const { bodyLimit = SMALL_BODY_LIMIT } = request.routeOptions;
    const limit = request.maxBodyBytes ?? bodyLimit;
    const size = coding === undefined ? Number(length) : limit;
    try {
      // Fastify enforces the limit of the route.
      if (size > limit && limit < bodyLimit) throw tooLarge(limit);
      if (size > SMALL_BODY_LIMIT && size <= limit) reserve(size, request.ip, reply);
    } catch (error) {
      // The client may still send the body.
      reply.header("connection", "close");
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    done(null, coding === undefined ? payload : mergeChunks(payload, limit, reply));
  });
  // Not in the content type parser, whose errors close the connection; a syntax error is no reason to do so.
  app.addHook("preValidation", (request, reply, done) => {
    const { body } = request;
    if (!Buffer.isBuffer(body)) {
      done();
    } else if (body.length === 0) {
      request.body = undefined;
      done();
    } else if (request.startedIn === turns.current) {
      parseBody(request, body, done);
    } else {
      // Bodies of many requests can arrive at once, long after their headers.
      continueInTurn(turns, request, reply, () => parseBody(request, body, done));
    }
  });
  return () => reserved;

  function reserve(bytes: number, address: string, { raw }: FastifyReply): void {
    const block = toAddressBlock(address);
    const share = byAddress.of(block);
    if (reserved + bytes > maxBytes || (share > 0 && share + bytes > maxBytes / 2)) {
      shedRequests.inc({ limit: "bodies" });
      const message = "Too many large requests are in progress. Try again later.";
      throw new DomainError("unavailable", message, { retryAfter: RETRY_AFTER_S });
    }
    reserved += bytes;
    byAddress.add(block, bytes);
    raw.once("close", () => {
      reserved -= bytes;
      byAddress.add(block, -bytes);
    });
  }
}

/** @param limit maximum size in bytes */
function mergeChunks(payload: Readable, limit: number, { raw }: FastifyReply): Transform {
  let received = 0;
  let used = 0;
  let block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  const merged = new Transform({
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
  merged.once("error", () => raw.headersSent || raw.setHeader("connection", "close"));
  payload.once("error", (error) => merged.destroy(error));
  // Delayed, so that the consumer of the body sees the error of an aborted request first.
  raw.once("close", () => setImmediate(() => merged.destroy()));
  return payload.pipe(merged);
}

function tooLarge(limit: number): DomainError {
  const message = `Without an API key, the body may have at most ${limit} bytes.`;
  return new DomainError("payload_too_large", message, { details: { limit } });
}

/** Validates and parses a body. @param done called with an error, or once it is parsed */
function parseBody(request: FastifyRequest, bytes: Buffer, done: (error?: Error) => void): void {
  const { takesText, keepsBodyText, takesMergePatch } = request.routeOptions.config;
  const { headers } = request;
  request.body = undefined;
  try {
    // Fast path for the most common headers.
    if (headers["content-type"] !== JSON_TYPE || headers["content-encoding"] || headers["transfer-encoding"])
      requireJson(headers, [
        JSON_TYPE,
        ...(takesText ? ["text/plain"] : []),
        ...(takesMergePatch ? [MERGE_PATCH_TYPE] : []),
      ]);
    // Parsing and validating thousands of levels would take seconds.
    if (!takesText && isNestedDeeper(bytes, MAX_BODY_LEVELS)) {
      throw new DomainError("invalid_json", `The body is nested more than ${MAX_BODY_LEVELS} levels deep.`, {
        details: { limit: MAX_BODY_LEVELS },
      });
    }
    const text = decodeText(bytes, "The body", takesText);
    if (!takesText) request.body = parseJsonText(text, "The body");
    if (takesText || keepsBodyText) request.bodyText = text;
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  done();
}

/** @param types accepted media types; another one, even if it is JSON, may mean something else, as that of a JSON Patch does */
function requireJson(headers: IncomingHttpHeaders, types: readonly string[]): void {
  if ((headers["content-encoding"] ?? "identity") !== "identity")
    throw new DomainError("unsupported_media_type", "The body must be sent without a Content-Encoding.");
  if ((headers["transfer-encoding"] ?? "chunked").toLowerCase() !== "chunked")
    throw new DomainError("unsupported_media_type", "The only supported Transfer-Encoding is chunked.");
  const contentType = headers["content-type"] ?? JSON_TYPE;
  const [type = "", ...parameters] = contentType.split(";").map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter));
  if (types.includes(type.toLowerCase()) && (charset === undefined || /^charset="?utf-?8"?$/i.test(charset)))
    return;
  throw new DomainError(
    "unsupported_media_type",
    `The body must be JSON in UTF-8, sent with Content-Type: ${types.join(" or ")}.`,
  );
}
