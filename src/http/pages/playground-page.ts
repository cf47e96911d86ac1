import { DEMO_DATA_SOURCE } from "../../services/data-sources/demo-account.js";
import { renderHtml } from "./page-html.js";
import { exampleOperations } from "./playground-examples.js";
import { THEME_SCRIPT } from "./site-header.js";

/** File names of the page's assets. */
interface PageFiles {
  readonly style: string;
  readonly script: string;
  readonly start: string;
}

// A comment, because an invalid key would be rejected even for the schema, which needs none.
const HEADERS = `{
  // "Authorization": "Token <API_KEY>"
}`;
const DEMO_HEADERS = `{
  "Authorization": "Token <API_KEY>"
}`;

/** Renders the page. The demo key is added to the element `root` when the page is sent. */
export function renderPage(files: PageFiles): string {
  return renderHtml({
    ...files,
    current: "playground",
    title: "User groups: GraphQL playground",
    root: "./",
    assets: "graphql/assets",
    content: `<noscript>The playground requires JavaScript.</noscript>
<div id="root"></div>`,
  });
}

/** Renders the start script. @param workers file names of the workers by label */
export function startScript(workers: Readonly<Record<string, string>>): string {
  const common = {
    title: "User groups",
    // Keep API keys out of the browser's storage.
    shouldPersistHeaders: false,
    // Also for subscriptions: the API supports POST only.
    method: "POST",
  };
  const plain = {
    ...common,
    defaultHeaders: HEADERS,
    defaultEditorToolsVisibility: "headers",
    defaultTabs: exampleOperations(undefined),
  };
  const demo = { ...common, defaultHeaders: DEMO_HEADERS, defaultTabs: exampleOperations(DEMO_DATA_SOURCE) };
  // Workarounds for GraphiQL: it opens an empty tab unless the stored active tab is passed, opens each tab with the default headers,
  // and copies the query to the page URL, where tokens in it would reach logs.
  // Its editors have their own theme, which it sets only when the page loads, to the one that it stored.
  return `${THEME_SCRIPT}
document.addEventListener("theme", () => {
  const { theme, isDark } = currentTheme();
  document.body.classList.toggle("graphiql-light", theme === "light");
  document.body.classList.toggle("graphiql-dark", theme === "dark");
  self.__MONACO?.editor.setTheme(isDark ? "graphiql-DARK" : "graphiql-LIGHT");
});
const workers = ${JSON.stringify(workers)};
const assets = new URL(".", document.currentScript.src);
self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => new URL(workers[label] ?? workers.editorWorkerService, assets).href,
};
addEventListener("DOMContentLoaded", () => {
  const root = document.querySelector("#root");
  const { demoKey } = root.dataset;
  const options = demoKey ? ${JSON.stringify(demo)} : ${JSON.stringify(plain)};
  if (demoKey) options.defaultHeaders = options.defaultHeaders.replace("<API_KEY>", () => demoKey);
  const shown = storedTab() ?? options.defaultTabs[0];
  const { theme } = currentTheme();
  options.forcedTheme = theme;
  localStorage.setItem("graphiql:theme", theme === "system" ? "" : theme);
  options.query = shown.query ?? "";
  options.variables = shown.variables ?? "";
  options.onEditQuery = () => {};
  options.onTabChange = shareHeaders(options.defaultHeaders);
  YogaGraphiQL.renderYogaGraphiQL(root, options);
});
function storedTab() {
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem("graphiql:tabState"));
    return tabs[activeTabIndex];
  } catch {
    return undefined;
  }
}
function shareHeaders(defaultHeaders) {
  const edited = new Map();
  return ({ tabs, activeTabIndex }) => {
    const { id, headers } = tabs[activeTabIndex];
    if ((headers ?? defaultHeaders) === (edited.get(id) ?? defaultHeaders)) return;
    edited.set(id, headers);
    for (const tab of tabs) if (!edited.has(tab.id)) tab.headers = headers;
  };
}
`;
}
