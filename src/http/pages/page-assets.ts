import { send } from "@fastify/send";
import type { FastifyInstance } from "fastify";
import type { BuiltPage } from "./built-page.js";

const YEAR_MS = 365 * 24 * 3_600_000;
/** What a reader that is slow holds of a file, twice. */
const CHUNK_BYTES = 16 * 1024;
// A worker obeys the policy of its own file: ours get their work from the page and load nothing.
const ASSET_POLICY = "default-src 'none'";
const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
};

/** The compressed variants of an asset, by content coding; the first that a client accepts is sent. */
export const VARIANTS = [
  { coding: "br", extension: ".br", accepted: acceptanceOf("br") },
  { coding: "gzip", extension: ".gz", accepted: acceptanceOf("gzip") },
] as const;

/**
 * Registers the assets of a page below a path. They are streamed from disk: a reader that is slow holds one chunk of the file.
 * @param load reads the page; undefined where it has not been built
 */
export function registerAssets(
  app: FastifyInstance,
  path: string,
  load: () => Promise<BuiltPage | undefined>,
): void {
  app.get<{ Params: { file: string } }>(`${path}/:file`, async (request, reply) => {
    const { file } = request.params;
    const page = await load();
    if (!page?.assets.has(file)) return reply.callNotFound();
    const { "accept-encoding": accepted = "" } = request.headers;
    const variant = VARIANTS.find(
      (each) => each.accepted.test(accepted) && page.assets.has(file + each.extension),
    );
    const { statusCode, headers, stream, type } = await send(request.raw, file + (variant?.extension ?? ""), {
      root: page.assetDirectory,
      maxAge: YEAR_MS,
      immutable: true,
      contentType: false,
      index: false,
      highWaterMark: CHUNK_BYTES,
    });
    reply.code(statusCode).headers(headers).header("vary", "accept-encoding");
    // Of a precondition that fails, or a range beyond the end, the status and headers say enough.
    if (type !== "file") return reply.removeHeader("content-length").removeHeader("content-type").send();
    reply.header("content-security-policy", ASSET_POLICY).header("x-content-type-options", "nosniff");
    if (variant) reply.header("content-encoding", variant.coding);
    if (statusCode === 304) return reply.send();
    return reply
      .type(TYPES[file.slice(file.lastIndexOf(".") + 1)] ?? "application/octet-stream")
      .send(stream);
  });
}

/** Matches an Accept-Encoding header that allows a content coding. */
function acceptanceOf(coding: string): RegExp {
  return new RegExp(`(?:^|,)\\s*${coding}\\s*(?:;\\s*q=(?:1|0?\\.0*[1-9])[\\d.]*\\s*)?(?:,|$)`, "i");
}
