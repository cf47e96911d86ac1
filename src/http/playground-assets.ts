import { PageAssets, SCRIPT, STYLE } from "./page-assets.js";
import { type PageFiles, startScript } from "./playground-page.js";

// A tab that is pressed would jump aside, and the click miss it.
const TABS_STAY = ".graphiql-tab{transform:none!important}";

export interface Playground {
  readonly page: PageFiles;
  readonly files: PageAssets;
}

/** Loads the playground: nine megabytes, some two of them zipped. */
export async function loadPlayground(): Promise<Playground> {
  const graphiql = await import("@graphql-yoga/render-graphiql/graphiql");
  const files = new PageAssets();
  const [style, script, editorWorkerService, json, graphql] = await Promise.all([
    files.add("graphiql", "css", STYLE, graphiql.css + TABS_STAY),
    files.add("graphiql", "js", SCRIPT, graphiql.js),
    files.add("editor-worker", "js", SCRIPT, graphiql.editorWorkerService),
    files.add("json-worker", "js", SCRIPT, graphiql.jsonWorker),
    files.add("graphql-worker", "js", SCRIPT, graphiql.graphqlWorker),
  ]);
  const start = await files.add("start", "js", SCRIPT, startScript({ editorWorkerService, json, graphql }));
  return { files, page: { style, script, start } };
}
