import { AssetSources, type PageSource } from "./page-build.js";
import { renderPage, startScript } from "./playground-page.js";

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

/** Makes the playground of GraphiQL's files: nine megabytes, some two of them compressed. */
export async function playgroundSource(): Promise<PageSource> {
  const graphiql = await import("@graphql-yoga/render-graphiql/graphiql");
  const assets = new AssetSources();
  const workers = {
    editorWorkerService: assets.add("editor-worker", "js", graphiql.editorWorkerService),
    json: assets.add("json-worker", "js", graphiql.jsonWorker),
    graphql: assets.add("graphql-worker", "js", graphiql.graphqlWorker),
  };
  const html = renderPage({
    style: assets.add("graphiql", "css", graphiql.css + TABS_STAY + STACKED),
    script: assets.add("graphiql", "js", graphiql.js),
    start: assets.add("start", "js", startScript(workers)),
  });
  return { html, assets };
}
