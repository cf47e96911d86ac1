import { UnexpectedReplyError } from "./errors.js";
import type { HttpReply } from "./http-transport.js";
import type { ResponseInfo } from "./response.js";

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads status and headers of a reply. */
export function responseInfoOf({ status, headers }: Pick<HttpReply, "status" | "headers">): ResponseInfo {
  const numberOf = (name: string) => Number(headers.get(`ratelimit-${name}`) ?? Number.NaN);
  const rateLimit = {
    limit: numberOf("limit"),
    remaining: numberOf("remaining"),
    resetSeconds: numberOf("reset"),
  };
  return {
    status,
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfter: readRetryAfter(headers.get("retry-after")),
    rateLimit: Object.values(rateLimit).every(Number.isFinite) ? rateLimit : undefined,
  };
}

/** Returns the body of a reply. @throws UnexpectedReplyError if it is not a JSON object */
export function parseReply(reply: HttpReply): JsonObject {
  const body = parseJson(reply.body);
  if (isJsonObject(body)) return body;
  throw unexpectedReply(reply, "is not a JSON object");
}

/** Creates the error of a reply that is not from the service. It does not quote the reply, which may contain a token. */
export function unexpectedReply(
  reply: Pick<HttpReply, "status" | "headers">,
  problem: string,
): UnexpectedReplyError {
  const response = responseInfoOf(reply);
  return new UnexpectedReplyError(`The reply with HTTP status ${response.status} ${problem}.`, response);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns seconds: the header's number, or the time until its date. */
function readRetryAfter(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const until = (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(until) ? undefined : Math.max(0, Math.ceil(until));
}
