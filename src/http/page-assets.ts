import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance } from "fastify";

export const SCRIPT = "text/javascript; charset=utf-8";
export const STYLE = "text/css; charset=utf-8";

const FOREVER = "public, max-age=31536000, immutable";
// A worker obeys the policy of its own file: ours get their work from the page and load nothing.
const ASSET_POLICY = "default-src 'none'";
const GZIP = /(?:^|,)\s*gzip\s*(?:;\s*q=(?:1|0?\.0*[1-9])[\d.]*\s*)?(?:,|$)/i;

/** A file that a page loads. */
interface Asset {
  readonly type: string;
  readonly content: string | Buffer;
  readonly zipped: Buffer;
}

/** The files of a page, by their names, which a change of the content changes. */
export class PageAssets {
  readonly #files = new Map<string, Asset>();

  /** @returns the file's name */
  async add(name: string, extension: string, type: string, content: string): Promise<string> {
    const hash = createHash("sha256").update(content).digest("hex").slice(0, 12);
    const file = `${name}-${hash}.${extension}`;
    await this.put(file, type, content);
    return file;
  }

  /** @param file a name that a change of the content changes */
  async put(file: string, type: string, content: string | Buffer): Promise<void> {
    this.#files.set(file, { type, content, zipped: await promisify(gzip)(content) });
  }

  get(file: string): Asset | undefined {
    return this.#files.get(file);
  }
}

/** Loads something when it is first asked for; again after a failure, and after there was nothing to load. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  const forget = () => {
    loading = undefined;
  };
  return () => {
    if (!loading) {
      loading = load();
      loading.then((loaded) => loaded === undefined && forget(), forget);
    }
    return loading;
  };
}

/**
 * Registers the files of a page below a path.
 * @param load loads them when somebody first asks; undefined where there are none
 */
export function registerAssets(
  app: FastifyInstance,
  path: string,
  load: () => Promise<PageAssets | undefined>,
): void {
  app.get<{ Params: { file: string } }>(`${path}/:file`, async (request, reply) => {
    const file = (await load())?.get(request.params.file);
    if (!file) return reply.callNotFound();
    reply
      .header("cache-control", FOREVER)
      .header("vary", "accept-encoding")
      .header("content-security-policy", ASSET_POLICY)
      .header("x-content-type-options", "nosniff")
      .type(file.type);
    if (!GZIP.test(request.headers["accept-encoding"] ?? "")) return reply.send(file.content);
    return reply.header("content-encoding", "gzip").send(file.zipped);
  });
}

/** The headers of a page itself. @param policy its Content-Security-Policy */
export function pageHeaders(policy: readonly string[]): Readonly<Record<string, string>> {
  return {
    "content-security-policy": policy.join("; "),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
  };
}
