import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { readIfExists } from "./built-page.js";
import { loadOnce } from "./page.js";
import { sendFile } from "./page-assets.js";

const PATH = "/docs";
const NOT_FOUND_PAGE = "404.html";
const NOT_BUILT =
  "The documentation has not been built. Run `npm run docs:build` in the service's directory, then reload the page.\nThe same pages are Markdown files in the folder docs/ of the repository.\n";
const HASHED_ASSET = /^assets\//;

/** The built documentation site. */
interface Site {
  readonly files: ReadonlySet<string>;
  /** Content-Security-Policy of its pages. */
  readonly policy: string;
}

/**
 * Registers the documentation site below `/docs`, from the files that `npm run docs:build` writes. `npm start` runs it.
 * @param directory directory of the built site
 */
export function registerDocsSite(app: FastifyInstance, directory: string): void {
  const load = loadOnce(() => readSite(directory));
  // Relative, because the service may be served below a path prefix of a proxy.
  app.get(PATH, (_request, reply) => reply.redirect("docs/"));
  app.get<{ Params: { "*": string } }>(`${PATH}/*`, async (request, reply) => {
    const site = await load();
    if (!site) return reply.code(503).type("text/plain; charset=utf-8").send(NOT_BUILT);
    const file = fileOf(site, request.params["*"]);
    if (file !== undefined) return sendSiteFile(request, reply, { directory, site, file });
    return sendSiteFile(request, reply.code(404), { directory, site, file: NOT_FOUND_PAGE });
  });
}

function fileOf({ files }: Site, path: string): string | undefined {
  return [path, `${path}.html`, `${path}${path === "" || path.endsWith("/") ? "" : "/"}index.html`].find(
    (file) => files.has(file),
  );
}

function sendSiteFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { directory, site, file }: { readonly directory: string; readonly site: Site; readonly file: string },
): Promise<FastifyReply> {
  return sendFile(request, reply, {
    root: directory,
    file,
    files: site.files,
    isImmutable: HASHED_ASSET.test(file),
    // Configuration files of the repository, which documents link to.
    otherType: "text/plain; charset=utf-8",
    ...(file.endsWith(".html") ? { policy: site.policy } : {}),
  });
}

/** Reads which files the site has. @returns undefined if it has not been built */
async function readSite(directory: string): Promise<Site | undefined> {
  const page = await readIfExists(join(directory, NOT_FOUND_PAGE));
  if (page === undefined) return undefined;
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(directory, join(parentPath, name)));
  return { files: new Set(paths), policy: policyOf(await readFile(join(directory, "index.html"), "utf8")) };
}

/** Allows the inline scripts of a page, which all pages share, by their hashes. Code highlighting needs style attributes. */
function policyOf(html: string): string {
  const scripts = [...html.matchAll(/<script(?: id="[\w-]+")?>([\s\S]*?)<\/script>/g)].map(
    ([, text = ""]) => text,
  );
  const hashes = scripts.map((text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`);
  return [
    "default-src 'none'",
    `script-src ${["'self'", ...hashes].join(" ")}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
