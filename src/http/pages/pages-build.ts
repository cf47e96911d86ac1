import { join } from "node:path";
import { API_DOCS_FOLDER } from "./api-docs.js";
import { apiDocsSource } from "./api-docs-assets.js";
import { LANDING_FOLDER, landingSource } from "./landing.js";
import { NOT_FOUND_FOLDER, notFoundSource } from "./not-found.js";
import { buildPage } from "./page-build.js";
import { PLAYGROUND_FOLDER } from "./playground.js";
import { playgroundSource } from "./playground-assets.js";

/** Builds the landing page, the playground, the REST API page and the page for unknown paths. @param directory parent directory of the pages */
export async function buildPages(directory: string): Promise<void> {
  const [playground, apiDocs, landing, notFound] = await Promise.all([
    playgroundSource(),
    apiDocsSource(),
    landingSource(),
    notFoundSource(),
  ]);
  await Promise.all([
    buildPage(join(directory, PLAYGROUND_FOLDER), playground),
    buildPage(join(directory, API_DOCS_FOLDER), apiDocs),
    buildPage(join(directory, LANDING_FOLDER), landing),
    buildPage(join(directory, NOT_FOUND_FOLDER), notFound),
  ]);
}
