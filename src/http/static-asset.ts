import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

const FOREVER = "public, max-age=31536000, immutable";
const GZIP = /(?:^|,)\s*gzip\s*(?:;\s*q=(?:1|0?\.0*[1-9])[\d.]*\s*)?(?:,|$)/i;
// A worker obeys the policy of its own file: ours get their work from the page and load nothing.
const ASSET_POLICY = "default-src 'none'";

/** A file of a page, in memory, whose name changes with its content. */
export interface Asset {
  readonly type: string;
  readonly content: string | Buffer;
  readonly zipped: Buffer;
}

/** @param type its media type */
export async function makeAsset(type: string, content: string | Buffer): Promise<Asset> {
  return { type, content, zipped: await promisify(gzip)(content) };
}

/** Answers with a file, which may be kept for good. */
export function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, content, zipped }: Asset,
): FastifyReply {
  reply
    .header("cache-control", FOREVER)
    .header("vary", "accept-encoding")
    .header("content-security-policy", ASSET_POLICY)
    .header("x-content-type-options", "nosniff")
    .type(type);
  if (!GZIP.test(request.headers["accept-encoding"] ?? "")) return reply.send(content);
  return reply.header("content-encoding", "gzip").send(zipped);
}
