import { UnexpectedReplyError } from "./errors.js";
import type { HttpReply } from "./http-transport.js";

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a reply tells of itself, beside its body. */
export function metaOf({ status, headers }: Pick<HttpReply, "status" | "headers">) {
  const requestId = headers["x-request-id"];
  return {
    status,
    requestId: typeof requestId === "string" ? requestId : undefined,
    retryAfter: readRetryAfter(headers["retry-after"]),
  };
}

/** The body of a reply. @throws UnexpectedReplyError when it is no JSON object */
export function parseReply(reply: HttpReply): JsonObject {
  const body = parseJson(reply.body);
  if (isJsonObject(body)) return body;
  throw unexpected(reply, "is not a JSON object");
}

/** The error of a reply that the service does not give. What it says stays out of it: it may hold a token. */
export function unexpected(
  reply: Pick<HttpReply, "status" | "headers">,
  fault: string,
): UnexpectedReplyError {
  const meta = metaOf(reply);
  return new UnexpectedReplyError(`The reply, with HTTP status ${meta.status}, ${fault}.`, meta);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Seconds: the header's number, or the time until its date. */
function readRetryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const until = (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(until) ? undefined : Math.max(0, Math.ceil(until));
}
