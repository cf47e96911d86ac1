import { AssetSources, type PageSource } from "./page-build.js";
import { renderPage, startScript } from "./playground-page.js";
import { headerStyle } from "./site-header.js";

// A pressed tab would move, so that the click misses it.
const FIXED_TABS = ".graphiql-tab{transform:none!important}";
// On phones the response pane is too narrow beside the editors, so it is placed below them.
const PANES = ".graphiql-session-header+div";
const LAYOUT =
  "body{display:flex;flex-direction:column;height:100vh;margin:0}#root{flex:1;min-height:0}.graphiql-container{height:100%!important}[hidden],.graphiql-logo{display:none!important}";
// The accent and ground of the other pages; GraphiQL needs the channels of its colors.
const THEMED =
  ":is(.graphiql-container,.graphiql-dialog,.graphiql-dialog-overlay,.graphiql-tooltip,[data-radix-popper-content-wrapper])";
const DARK_COLORS = "{--color-primary:237,100%,82%;--color-base:218,20%,11%}";
const COLORS = `body ${THEMED}${THEMED}{--color-primary:242,64%,56%;--font-family:var(--sans);--font-family-mono:var(--mono)}
@media (prefers-color-scheme:dark){body:not(.graphiql-light) ${THEMED}${THEMED}${DARK_COLORS}}
body.graphiql-dark ${THEMED}${THEMED}${DARK_COLORS}
button.graphiql-execute-button>svg{color:var(--accent-ink)!important}`;
const STACKED_PANES = `@media (max-width:760px){
  body{height:auto}
  #root{flex:none;height:960px}
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
      graphiql.css + (await headerStyle()) + LAYOUT + COLORS + FIXED_TABS + STACKED_PANES,
    ),
    script: assets.add("graphiql", "js", graphiql.js),
    start: assets.add("start", "js", startScript(workers)),
  });
  return { html, assets };
}
