import "./generated/graphiql.css";
import { pageData } from "../src/api/page-data.js";
import { storedTheme } from "../src/parts/theme.js";
import { exampleOperations } from "./examples.js";
import editorWorker from "./generated/editor-worker.js?url";
import graphiql from "./generated/graphiql.js?url";
import graphqlWorker from "./generated/graphql-worker.js?url";
import jsonWorker from "./generated/json-worker.js?url";
import { sendWithSession } from "./playground-account.js";
import { onTheme } from "./site.js";
import "./playground.css";

interface Tab {
  readonly id: string;
  readonly query?: string | null;
  readonly variables?: string | null;
  headers?: string | null | undefined;
}
interface TabState {
  readonly tabs: readonly Tab[];
  readonly activeTabIndex: number;
}

declare global {
  /** Set by GraphiQL. */
  var YogaGraphiQL: { renderYogaGraphiQL(root: Element, options: Readonly<Record<string, unknown>>): void };
  var __MONACO: { readonly editor: { setTheme(name: string): void } } | undefined;
  var MonacoEnvironment: object;
}

const workers: Readonly<Record<string, string>> = { json: jsonWorker, graphql: graphqlWorker };
globalThis.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module: string, label: string) => workers[label] ?? editorWorker,
};

// A comment, because an invalid key would be rejected even for the schema, which needs none.
const HINT = '{\n  // "Authorization": "Token <API_KEY>"\n}';
const isSignedIn = await sendWithSession();
const demo = isSignedIn ? undefined : pageData.demo;
const defaultHeaders = demo ? JSON.stringify({ Authorization: `Token ${demo.apiKey}` }, null, 2) : HINT;
const defaultTabs = exampleOperations(demo?.dataSource);
/** The browser's storage. The history keeps headers with each operation, which may have an API key: they are not stored. */
const storage = {
  get length() {
    return localStorage.length;
  },
  getItem: (name: string) => replaceHeaders(name, localStorage.getItem(name), defaultHeaders),
  setItem: (name: string, value: string) =>
    localStorage.setItem(name, replaceHeaders(name, value, null) ?? ""),
  removeItem: (name: string) => localStorage.removeItem(name),
  clear: () => localStorage.clear(),
};
/** Headers that were edited, by tab. */
const edited = new Map<string, Tab["headers"]>();

await import(/* @vite-ignore */ graphiql);
const root = document.querySelector("#root");
// Workarounds for GraphiQL: it opens an empty tab unless the stored active tab is passed, opens each tab with the default headers,
// and copies the query to the page URL, where tokens in it would reach logs.
// Its editors have their own theme, which it sets only when the page loads, to the one that it stored.
if (root) {
  const theme = storedTheme();
  localStorage.setItem("graphiql:theme", theme === "system" ? "" : theme);
  const shown = storedTab() ?? defaultTabs[0];
  globalThis.YogaGraphiQL.renderYogaGraphiQL(root, {
    title: "User groups",
    // Keep API keys out of the browser's storage.
    shouldPersistHeaders: false,
    storage,
    // Also for subscriptions: the API supports POST only.
    method: "POST",
    ...(demo || isSignedIn ? {} : { defaultEditorToolsVisibility: "headers" }),
    defaultHeaders,
    defaultTabs,
    forcedTheme: theme,
    query: shown?.query ?? "",
    variables: shown?.variables ?? "",
    onEditQuery: () => undefined,
    onTabChange: shareHeaders,
  });
  new MutationObserver(() => repairTabs(root)).observe(root, {
    childList: true,
    subtree: true,
    attributeFilter: ["aria-selected"],
  });
  onTheme((isDark) => {
    const selected = storedTheme();
    document.body.classList.toggle("graphiql-light", selected === "light");
    document.body.classList.toggle("graphiql-dark", selected === "dark");
    document.documentElement.toggleAttribute("data-dark", isDark);
    globalThis.__MONACO?.editor.setTheme(isDark ? "graphiql-DARK" : "graphiql-LIGHT");
  });
}

/** GraphiQL nests buttons in elements of the role tab. The button becomes the tab; Delete closes it, as in the WAI-ARIA pattern. */
function repairTabs(root: Element): void {
  for (const item of root.querySelectorAll(".graphiql-tab[aria-selected]")) {
    const tab = item.querySelector<HTMLElement>(".graphiql-tab-button");
    const close = item.querySelector<HTMLElement>(".graphiql-tab-close");
    if (!tab) continue;
    tab.role = "tab";
    tab.ariaSelected = item.ariaSelected;
    tab.onkeydown = ({ key }) => key === "Delete" && close?.click();
    item.role = "presentation";
    item.removeAttribute("aria-selected");
    close?.setAttribute("aria-hidden", "true");
    if (close) close.tabIndex = -1;
  }
}

/** Replaces the headers of all operations of the history. */
function replaceHeaders(name: string, json: string | null, headers: string | null): string | null {
  if (json === null || !/^graphiql:(?:queries|favorites)$/.test(name)) return json;
  const history: unknown = JSON.parse(json, (key, value: unknown) => (key === "headers" ? headers : value));
  return JSON.stringify(history);
}

function storedTab(): Tab | undefined {
  try {
    const { tabs, activeTabIndex }: TabState = JSON.parse(localStorage.getItem("graphiql:tabState") ?? "");
    return tabs[activeTabIndex];
  } catch {
    return undefined;
  }
}

/** Headers that are edited in one tab become those of the tabs whose headers were not edited. */
function shareHeaders({ tabs, activeTabIndex }: TabState): void {
  const active = tabs[activeTabIndex];
  if (!active || (active.headers ?? defaultHeaders) === (edited.get(active.id) ?? defaultHeaders)) return;
  edited.set(active.id, active.headers);
  for (const tab of tabs) if (!edited.has(tab.id)) tab.headers = active.headers;
}
