import { AssetSources, type PageSource } from "./page-build.js";
import { renderPage, startScript } from "./playground-page.js";
import { headerStyle } from "./site-header.js";

// A pressed tab would move, so that the click misses it.
const FIXED_TABS = ".graphiql-tab{transform:none!important}";
// On phones the response pane is too narrow beside the editors, so it is placed below them.
const PANES = ".graphiql-session-header+div";
const LAYOUT =
  "body{display:flex;flex-direction:column;height:100vh;margin:0}#root{flex:1;min-height:0}.graphiql-container{height:100%!important}[hidden],.graphiql-logo{display:none!important}";
const STACKED_PANES = `@media (max-width:760px){
  .graphiql-sidebar{width:44px!important;padding:8px 0!important}
  .graphiql-main{min-width:0}
  .graphiql-logo,${PANES}>.graphiql-horizontal-drag-bar{display:none!important}
  ${PANES}{flex-direction:column!important}
  ${PANES}>.graphiql-editors,${PANES}>.graphiql-response{width:100%;min-height:12em}
}`;

/** Creates the playground from GraphiQL: nine megabytes, about two compressed. */
export async function playgroundSource(): Promise<PageSource> {
  const graphiql = await import("@graphql-yoga/render-graphiql/graphiql");
  const assets = new AssetSources();
  const workers = {
    editorWorkerService: assets.add("editor-worker", "js", graphiql.editorWorkerService),
    json: assets.add("json-worker", "js", graphiql.jsonWorker),
    graphql: assets.add("graphql-worker", "js", graphiql.graphqlWorker),
  };
  const html = renderPage({
    style: assets.add(
      "graphiql",
      "css",
      graphiql.css + (await headerStyle()) + LAYOUT + FIXED_TABS + STACKED_PANES,
    ),
    script: assets.add("graphiql", "js", graphiql.js),
    start: assets.add("start", "js", startScript(workers)),
  });
  return { html, assets };
}
