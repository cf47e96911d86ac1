import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { DOCS_STYLE, renderDocsPage, START_SCRIPT } from "./api-docs-page.js";
import { AssetSources, type PageSource } from "./page-build.js";
import { headerStyle } from "./site-header.js";

/** Creates the REST API page from Swagger UI: two megabytes, one compressed. */
export async function apiDocsSource(): Promise<PageSource> {
  const require = createRequire(import.meta.url);
  const read = (file: string) => readFile(file, "utf8");
  const assets = new AssetSources();
  const html = renderDocsPage({
    style: assets.add(
      "swagger-ui",
      "css",
      (await read(require.resolve("swagger-ui-dist/swagger-ui.css"))) + (await headerStyle()) + DOCS_STYLE,
    ),
    script: assets.add(
      "swagger-ui",
      "js",
      await read(require.resolve("swagger-ui-dist/swagger-ui-bundle.js")),
    ),
    start: assets.add("start", "js", START_SCRIPT),
  });
  return { html, assets };
}
