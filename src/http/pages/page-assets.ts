import { send } from "@fastify/send";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { BuiltPage } from "./built-page.js";

const YEAR_MS = 365 * 24 * 3_600_000;
/** Read buffer per stream; a slow client holds two of them. */
const CHUNK_BYTES = 16 * 1024;
const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  html: "text/html; charset=utf-8",
  json: "application/json",
  svg: "image/svg+xml",
  png: "image/png",
  woff2: "font/woff2",
};

/** Compressed variants of an asset in order of preference. */
export const VARIANTS = [
  { coding: "br", extension: ".br", accepted: acceptanceOf("br") },
  { coding: "gzip", extension: ".gz", accepted: acceptanceOf("gzip") },
] as const;

/** A file to send. */
export interface SentFile {
  /** Directory of the file. */
  readonly root: string;
  /** Path of the file below the directory. */
  readonly file: string;
  /** All paths below the directory, including compressed variants. */
  readonly files: ReadonlySet<string>;
  /** Whether the path contains a hash of the content. */
  readonly isImmutable: boolean;
  /** Content-Security-Policy. By default that of all replies: web workers use it, and ours load nothing. */
  readonly policy?: string;
  /** Media type of unknown file name extensions. */
  readonly otherType?: string;
}

/**
 * Registers the assets of a page below a path.
 * @param load reads the page; undefined if it has not been built
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
    return sendFile(request, reply, {
      root: page.assetDirectory,
      file,
      files: page.assets,
      isImmutable: true,
    });
  });
}

/** Streams a file, or its compressed variant, from disk, so that slow clients do not hold whole files in memory. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { root, file, files, isImmutable, policy, otherType = "application/octet-stream" }: SentFile,
): Promise<FastifyReply> {
  const { "accept-encoding": accepted = "" } = request.headers;
  const variant = VARIANTS.find((each) => each.accepted.test(accepted) && files.has(file + each.extension));
  const { statusCode, headers, stream, type } = await send(request.raw, file + (variant?.extension ?? ""), {
    root,
    maxAge: isImmutable ? YEAR_MS : 0,
    immutable: isImmutable,
    contentType: false,
    index: false,
    highWaterMark: CHUNK_BYTES,
  });
  // An error page keeps its status.
  if (reply.statusCode === 200) reply.code(statusCode);
  reply.headers(headers).header("vary", "accept-encoding");
  // Failed preconditions and ranges beyond the end of the file are answered without a body.
  if (type !== "file") return reply.removeHeader("content-length").removeHeader("content-type").send();
  if (policy !== undefined) reply.header("content-security-policy", policy);
  if (variant) reply.header("content-encoding", variant.coding);
  if (statusCode === 304) return reply.send();
  return reply.type(TYPES[file.slice(file.lastIndexOf(".") + 1)] ?? otherType).send(stream);
}

/** Returns a pattern for Accept-Encoding headers that allow a content coding. */
function acceptanceOf(coding: string): RegExp {
  return new RegExp(`(?:^|,)\\s*${coding}\\s*(?:;\\s*q=(?:1|0?\\.0*[1-9])[\\d.]*\\s*)?(?:,|$)`, "i");
}
