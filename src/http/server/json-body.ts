import type { FastifyInstance, FastifyRequest } from "fastify";
import { DomainError } from "../../domain/shared/errors.js";
import { isNestedDeeper, MAX_BODY_LEVELS } from "../../domain/shared/json-nesting.js";
import { decodeText, parseJsonBytes } from "../../domain/shared/json-text.js";

declare module "fastify" {
  interface FastifyRequest {
    /** The source text of the body, on routes with `keepsBodyText` or `takesText`. */
    bodyText: string;
  }
  interface FastifyContextConfig {
    keepsBodyText?: boolean;
    /** The body is not parsed: it may be any text, sent as JSON or plain text. */
    takesText?: boolean;
  }
}

const TEXT_TYPE = /^text\/plain$/i;
const JSON_TYPE = /^application\/(?:[\w.!#$&^-]+\+)?json$/i;

/** Reads all request bodies as JSON: up to the route's size limit, then validated and parsed. */
export function acceptJsonBodies(app: FastifyInstance): void {
  app.decorateRequest("bodyText", "");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  // Not in the content type parser, whose errors close the connection; a syntax error is no reason to do so.
  app.addHook("preValidation", (request, _reply, done) => {
    try {
      if (Buffer.isBuffer(request.body)) request.body = parseBody(request, request.body);
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    done();
  });
}

function parseBody(request: FastifyRequest, bytes: Buffer): unknown {
  const { takesText, keepsBodyText } = request.routeOptions.config;
  if (bytes.length === 0) return undefined;
  requireJson(request, takesText === true);
  if (takesText) {
    request.bodyText = decodeText(bytes, "The body");
    return undefined;
  }
  // Parsing and validating thousands of levels would take seconds.
  if (isNestedDeeper(bytes, MAX_BODY_LEVELS)) throw tooDeep();
  const { value, text } = parseJsonBytes(bytes, "The body");
  if (keepsBodyText) request.bodyText = text;
  return value;
}

function tooDeep(): DomainError {
  return new DomainError("invalid_json", `The body is nested more than ${MAX_BODY_LEVELS} levels deep.`, {
    details: { limit: MAX_BODY_LEVELS },
  });
}

function requireJson(request: FastifyRequest, takesText: boolean): void {
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") {
    throw new DomainError("unsupported_media_type", "The body must be sent without a Content-Encoding.");
  }
  const coding = request.headers["transfer-encoding"] ?? "chunked";
  if (coding.toLowerCase() !== "chunked") {
    throw new DomainError("unsupported_media_type", "The only supported Transfer-Encoding is chunked.");
  }
  // Fast path for the most common header.
  if (request.headers["content-type"] === "application/json") return;
  const [type = "", ...parameters] = (request.headers["content-type"] ?? "application/json")
    .split(";")
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => /^charset=/i.test(parameter));
  const isAccepted = JSON_TYPE.test(type) || (takesText && TEXT_TYPE.test(type));
  if (isAccepted && (charset === undefined || /^charset="?utf-?8"?$/i.test(charset))) return;
  throw new DomainError(
    "unsupported_media_type",
    `The body must be JSON in UTF-8, sent with Content-Type: application/json${takesText ? " or text/plain" : ""}.`,
  );
}
