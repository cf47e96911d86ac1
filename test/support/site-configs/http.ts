import { request } from "undici";
import type { GraphqlFixture } from "../graphql/graphql-fixture.js";

/** Reads a path below `/site-config/`, with the read key by default. */
export async function getSite(
  { service, keys }: GraphqlFixture,
  path: string,
  headers: Readonly<Record<string, string>> = { authorization: `Token ${keys.read}` },
  method: "GET" | "HEAD" | "OPTIONS" | "POST" = "GET",
) {
  const reply = await request(`${service.url}/site-config/${path}`, { method, headers });
  return { status: reply.statusCode, headers: reply.headers, text: await reply.body.text() };
}
