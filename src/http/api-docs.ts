import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { FastifyInstance } from "fastify";
import { DOCS_STYLE, renderDocsPage, START_SCRIPT } from "./api-docs-page.js";
import { loadOnce, PageAssets, pageHeaders, registerAssets, SCRIPT, STYLE } from "./page-assets.js";

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

interface Docs {
  readonly page: string;
  readonly files: PageAssets;
}

/** Registers `/api/docs`, where people read `/openapi.json` and try it (decision 42); its files are our own. */
export function registerApiDocs(app: FastifyInstance): void {
  const load = loadOnce(loadDocs);
  registerAssets(app, `${PATH}/assets`, async () => (await load()).files);
  app.get(PATH, async (_request, reply) => reply.headers(pageHeaders(PAGE_POLICY)).send((await load()).page));
}

/** Loads Swagger UI: two megabytes, half of one zipped. */
async function loadDocs(): Promise<Docs> {
  const require = createRequire(import.meta.url);
  const read = (file: string) => readFile(file, "utf8");
  const files = new PageAssets();
  const [style, script, start] = await Promise.all([
    files.add(
      "swagger-ui",
      "css",
      STYLE,
      (await read(require.resolve("swagger-ui-dist/swagger-ui.css"))) + DOCS_STYLE,
    ),
    files.add(
      "swagger-ui",
      "js",
      SCRIPT,
      await read(require.resolve("swagger-ui-dist/swagger-ui-bundle.js")),
    ),
    files.add("start", "js", SCRIPT, START_SCRIPT),
  ]);
  return { files, page: renderDocsPage({ style, script, start }) };
}
