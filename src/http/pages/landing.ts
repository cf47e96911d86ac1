import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { LANDING_SCRIPT, LANDING_STYLE, renderLandingPage } from "./landing-page.js";
import { acceptsHtml, PLAIN_PAGE_POLICY, registerPage } from "./page.js";
import { AssetSources, type PageSource } from "./page-build.js";
import { headerStyle, type SitePage } from "./site-header.js";

/** Directory of the built page. */
export const LANDING_FOLDER = "landing";

/**
 * Registers `/` for browsers: what the service is, with links to its pages.
 * @param directory directory of the built pages
 * @param disabled pages that are not linked
 */
export function registerLandingPage(
  app: FastifyInstance,
  directory: string,
  disabled: readonly SitePage[],
): void {
  const options = { directory: join(directory, LANDING_FOLDER), policy: PLAIN_PAGE_POLICY, disabled };
  const answer = registerPage(app, "/assets", options);
  app.get("/", (request, reply) => (acceptsHtml(request) ? answer(request, reply) : reply.callNotFound()));
}

export async function landingSource(): Promise<PageSource> {
  const assets = new AssetSources();
  const html = renderLandingPage({
    style: assets.add("landing", "css", (await headerStyle()) + LANDING_STYLE),
    start: assets.add("start", "js", LANDING_SCRIPT),
  });
  return { html, assets };
}
