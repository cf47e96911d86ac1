import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { registerPage } from "./page.js";

/** The folder of the built page. */
export const API_DOCS_FOLDER = "api-docs";

const PATH = "/api/docs";
// Nothing comes from another host. Swagger UI has its icons in its style, and styles elements through the DOM.
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
 * Registers `/api/docs`, where people read `/openapi.json` and try it (decision 42); its files are our own.
 * @param directory where the pages were built
 */
export function registerApiDocs(app: FastifyInstance, directory: string): void {
  const options = { directory: join(directory, API_DOCS_FOLDER), policy: PAGE_POLICY };
  app.get(PATH, registerPage(app, `${PATH}/assets`, options));
}
