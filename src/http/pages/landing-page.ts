import { renderHeader } from "./site-header.js";

/** File names of the page's assets. */
interface PageFiles {
  readonly style: string;
  readonly start: string;
}

interface Card {
  /** The page that must be enabled. */
  readonly page: string;
  readonly href: string;
  readonly title: string;
  readonly text: string;
}

const CARDS: readonly Card[] = [
  {
    page: "console",
    href: "console/",
    title: "Console",
    text: "Manage groups, data sources, sites, webhooks and API keys in the browser.",
  },
  {
    page: "playground",
    href: "graphql",
    title: "GraphQL playground",
    text: "Try queries, mutations and subscriptions, with completion and the schema at hand.",
  },
  {
    page: "api-docs",
    href: "api/docs",
    title: "REST API",
    text: "Read the reference of every method, with examples and errors, and try it.",
  },
  {
    page: "docs",
    href: "docs/",
    title: "Documentation",
    text: "Start in minutes, and look up guides, recipes, limits and operations.",
  },
];

const FACTS = [
  [
    "A group for each customer",
    "A name, properties that dashboards use as variables, and a data source for each schema.",
  ],
  [
    "A token for the browser",
    "The dashboard in your page reads that customer's group with it, and nothing else.",
  ],
  [
    "A record of every change",
    "An audit log, signed webhooks, and events over server-sent events or WebSockets.",
  ],
];

const MACHINES = [
  ["openapi.json", "OpenAPI document"],
  ["schema.graphql", "GraphQL schema"],
  ["readyz", "Readiness"],
];

/** Renders the landing page. Links are relative, so that it works below a path prefix of a proxy. */
export function renderLandingPage({ style, start }: PageFiles): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="User groups for embedded dashboards.">
<title>User groups</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="assets/${style}">
<script src="assets/${start}"></script>
</head>
<body>
${renderHeader(undefined, "./")}
<main>
<h1>User groups for embedded dashboards</h1>
<p class="lead">This service decides what each of your customers sees in the dashboards that you embed in your product.</p>
<ul class="pages">
${CARDS.map(({ page, href, title, text }) => `<li data-page="${page}"><a href="${href}"><strong>${title}</strong><span>${text}</span></a></li>`).join("\n")}
</ul>
<dl>
${FACTS.map(([title, text]) => `<div><dt>${title}</dt><dd>${text}</dd></div>`).join("\n")}
</dl>
</main>
<footer>
<p>For machines: ${MACHINES.map(([href, label]) => `<a href="${href}">${label}</a>`).join(" · ")}</p>
</footer>
</body>
</html>
`;
}

/** Style sheet appended to that of the header. */
export const LANDING_STYLE = `
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 var(--sans)}
[hidden]{display:none!important}
main{max-width:1040px;margin:0 auto;padding:64px 24px 32px}
h1{margin:0 0 12px;font-size:clamp(1.9rem,5vw,2.75rem);line-height:1.15;letter-spacing:-.02em}
.lead{max-width:44em;margin:0 0 40px;color:var(--ink-soft);font-size:1.15rem}
.pages{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,220px),1fr));gap:16px;margin:0 0 48px;padding:0;list-style:none}
.pages a{display:grid;gap:6px;height:100%;box-sizing:border-box;padding:22px;border:1px solid var(--line);border-radius:12px;
background:var(--surface);color:var(--ink);box-shadow:var(--shadow);text-decoration:none}
.pages a:hover{border-color:var(--accent)}
.pages strong{color:var(--accent);font-size:1.1rem}
.pages span{color:var(--ink-soft)}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,260px),1fr));gap:24px 32px;margin:0}
dt{margin-bottom:4px;font-weight:600}
dd{margin:0;color:var(--ink-soft)}
footer{max-width:1040px;margin:0 auto;padding:24px;border-top:1px solid var(--line);color:var(--ink-soft);font-size:.9rem}
footer p{margin:0}
a{color:var(--accent)}
a:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media(max-width:760px){main{padding:36px 16px 24px}footer{padding:20px 16px}}
`;
