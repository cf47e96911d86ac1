import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { registerPage } from "./page.js";
import type { SitePage } from "./site-header.js";

/** Directory of the built page. */
export const API_DOCS_FOLDER = "api-docs";

const PATH = "/api/docs";
// No external sources. Swagger UI embeds its icons in its style sheet and sets styles through the DOM.
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/**
 * Registers `/api/docs`, an interactive view of `/openapi.json` (decision 42), served from local files.
 * @param directory directory of the built pages
 * @param disabled pages that are not linked
 */
export function registerApiDocs(
  app: FastifyInstance,
  directory: string,
  disabled: readonly SitePage[],
): void {
  const options = { directory: join(directory, API_DOCS_FOLDER), policy: PAGE_POLICY, disabled };
  app.get(PATH, registerPage(app, `${PATH}/assets`, options));
}
