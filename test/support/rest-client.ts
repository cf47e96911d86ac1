import { request } from "undici";

export interface RestReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** Calls a path as an API key's holder would; a body that is a string or bytes is sent as it stands. */
export async function callRest(
  url: string,
  method: string,
  key: string | undefined,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
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
  return {
    status: reply.statusCode,
    headers: reply.headers,
    body: text === "" ? undefined : JSON.parse(text),
  };
}
