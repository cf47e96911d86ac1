import { request } from "undici";
import { recordReply } from "../secrets/run-record.js";
import { expectKnownFields } from "./documented-fields.js";

export interface RestReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/**
 * Calls a path with an API key.
 * @param body sent as JSON; strings and bytes are sent unchanged
 * @param headers further headers; undefined removes a default one
 */
export async function callRest(
  url: string,
  method: string,
  key: string | undefined,
  body?: unknown,
  headers: Readonly<Record<string, string | undefined>> = {},
): Promise<RestReply> {
  const sent = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const reply = await request(url, {
    method,
    headers: {
      ...(key === undefined ? {} : { authorization: `Token ${key}` }),
      ...(sent === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(sent === undefined ? {} : { body: sent }),
  });
  const text = await reply.body.text();
  recordReply(text);
  const parsed = text === "" ? undefined : JSON.parse(text);
  const { pathname, search } = new URL(url);
  expectKnownFields(method, pathname + search, { body, headers }, parsed);
  return { status: reply.statusCode, headers: reply.headers, body: parsed };
}
