import { PageAssets, SCRIPT, STYLE } from "./page-assets.js";
import { type PageFiles, startScript } from "./playground-page.js";

// A tab that is pressed would jump aside, and the click miss it.
const TABS_STAY = ".graphiql-tab{transform:none!important}";
// On a telephone the reply would be a stripe beside the editors: it goes below them.
const PARTS = ".graphiql-session-header+div";
const STACKED = `@media (max-width:760px){
  .graphiql-sidebar{width:44px!important;padding:8px 0!important}
  .graphiql-main{min-width:0}
  .graphiql-logo,${PARTS}>.graphiql-horizontal-drag-bar{display:none!important}
  ${PARTS}{flex-direction:column!important}
  ${PARTS}>.graphiql-editors,${PARTS}>.graphiql-response{width:100%;min-height:12em}
}`;

export interface Playground {
  readonly page: PageFiles;
  readonly files: PageAssets;
}

/** Loads the playground: nine megabytes, some two of them zipped. */
export async function loadPlayground(): Promise<Playground> {
  const graphiql = await import("@graphql-yoga/render-graphiql/graphiql");
  const files = new PageAssets();
  const [style, script, editorWorkerService, json, graphql] = await Promise.all([
    files.add("graphiql", "css", STYLE, graphiql.css + TABS_STAY + STACKED),
    files.add("graphiql", "js", SCRIPT, graphiql.js),
    files.add("editor-worker", "js", SCRIPT, graphiql.editorWorkerService),
    files.add("json-worker", "js", SCRIPT, graphiql.jsonWorker),
    files.add("graphql-worker", "js", SCRIPT, graphiql.graphqlWorker),
  ]);
  const start = await files.add("start", "js", SCRIPT, startScript({ editorWorkerService, json, graphql }));
  return { files, page: { style, script, start } };
}
