import { join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { DomainError } from "../../domain/shared/errors.js";
import { readBuiltPage } from "./built-page.js";
import { LANDING_STYLE } from "./landing-page.js";
import { acceptsHtml, loadOnce, PLAIN_PAGE_POLICY, pageHeaders } from "./page.js";
import { registerAssets } from "./page-assets.js";
import { AssetSources, type PageSource } from "./page-build.js";
import { renderHtml } from "./page-html.js";
import { headerStyle, hideLinks, type SitePage, THEME_SCRIPT } from "./site-header.js";

/** Directory of the built page. */
export const NOT_FOUND_FOLDER = "not-found";

const ASSETS = "assets/not-found";
/** Replaced in each reply, because the relative URL of the service's root depends on the requested path. */
const ROOT = "{root}";
// Every link repeats the steps to the root: without a limit, a long path would get a much longer reply.
const MAX_DEPTH = 16;

/**
 * Registers the assets of the page that browsers get at unknown paths.
 * @param directory directory of the built pages
 * @param disabled pages that are not linked
 * @returns the handler of unknown paths, which throws DomainError `not_found` for other clients
 */
export function registerNotFoundPage(
  app: FastifyInstance,
  directory: string,
  disabled: readonly SitePage[],
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const load = loadOnce(() => readBuiltPage(join(directory, NOT_FOUND_FOLDER)));
  registerAssets(app, `/${ASSETS}`, load);
  const headers = pageHeaders(PLAIN_PAGE_POLICY);
  return async (request, reply) => {
    const root = request.method === "GET" && acceptsHtml(request) ? rootOf(request.url) : undefined;
    const page = root === undefined ? undefined : await load();
    if (root === undefined || !page) throw notFound();
    return reply.code(404).headers(headers).send(hideLinks(page.html, disabled).replaceAll(ROOT, root));
  };
}

/** Returns the error of an unknown path. */
export function notFound(): DomainError {
  return new DomainError("not_found", "There is nothing at this path.");
}

/** Returns the relative URL from a path to `/`; undefined if the path is too deep. */
function rootOf(url: string): string | undefined {
  const [path = ""] = url.split("?");
  const depth = path.split("/").length - 2;
  if (depth > MAX_DEPTH) return undefined;
  return depth <= 0 ? "./" : "../".repeat(depth);
}

export async function notFoundSource(): Promise<PageSource> {
  const assets = new AssetSources();
  const html = renderHtml({
    title: "Page not found",
    root: ROOT,
    assets: `${ROOT}${ASSETS}`,
    style: assets.add("not-found", "css", (await headerStyle()) + LANDING_STYLE),
    start: assets.add("start", "js", THEME_SCRIPT),
    content: `<main>
<h1>Page not found</h1>
<p class="lead">There is nothing at this address. Check it for typing errors, or continue on one of these pages.</p>
<p class="actions"><a class="primary" href="${ROOT}">Start page</a><a data-page="console" href="${ROOT}console/">Open the console</a></p>
</main>`,
  });
  return { html, assets };
}
