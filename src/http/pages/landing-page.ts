import { renderHtml } from "./page-html.js";
import { THEME_SCRIPT } from "./site-header.js";

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
    "A short-lived session for the browser",
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

const FIRST_CALL = `curl -X GET "<span class="base">$BASE_URL</span>/api/user" \\
  -H "Authorization: Token $KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"user_group_id": "acme", "name": "Acme Inc.",
       "properties": {"color": "#0b6e4f", "currency": "EUR"}}'

{
  "success": 1,
  "new_user_group": true,
  "user_group": {
    "team_id": 1,
    "token": "ugt_…",
    "name": "Acme Inc.",
    "provided_id": "acme",
    "properties": { "color": "#0b6e4f", "currency": "EUR" }
  }
}`;

/** Renders the landing page. Links are relative, so that it works below a path prefix of a proxy. */
export function renderLandingPage(files: PageFiles): string {
  return renderHtml({
    ...files,
    title: "User groups",
    root: "./",
    assets: "assets",
    content: `<main>
<div class="hero">
<div>
<h1>User groups for embedded dashboards</h1>
<p class="lead">You bring the dashboards and the data. This service stores what each of your customers sees in them.</p>
<p class="actions"><a class="primary" data-page="docs" href="docs/quick-start">Quick start</a><a data-page="console" href="console/">Open the console</a></p>
</div>
<figure>
<figcaption>Create a group with one call</figcaption>
<pre tabindex="0" role="region" aria-label="Create a group with one call">${FIRST_CALL}</pre>
</figure>
</div>
<ul class="pages">
${CARDS.map(({ page, href, title, text }) => `<li data-page="${page}"><a href="${href}"><strong>${title}</strong><span>${text}</span></a></li>`).join("\n")}
</ul>
<dl>
${FACTS.map(([title, text]) => `<div><dt>${title}</dt><dd>${text}</dd></div>`).join("\n")}
</dl>
<footer>
<p>For machines: ${MACHINES.map(([href, label]) => `<a href="${href}">${label}</a>`).join(" · ")}</p>
</footer>
</main>`,
  });
}

/** Start script of the page. Shows the URL of this service in the example. */
export const LANDING_SCRIPT = `${THEME_SCRIPT}
addEventListener("DOMContentLoaded", () => {
  document.querySelector(".base").textContent = new URL(".", location.href).href.slice(0, -1);
});
`;

/** Style sheet appended to that of the header. */
export const LANDING_STYLE = `
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 var(--sans)}
[hidden]{display:none!important}
main{max-width:1120px;margin:0 auto;padding:72px 24px 24px}
.hero{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr));gap:40px 48px;align-items:center;margin-bottom:64px}
h1{margin:0 0 16px;font-size:clamp(1.9rem,5vw,2.75rem);line-height:1.15;letter-spacing:-.02em;text-wrap:balance}
.lead{margin:0 0 28px;color:var(--ink-soft);font-size:1.15rem}
.actions{display:flex;flex-wrap:wrap;gap:12px;margin:0}
.actions a{padding:9px 18px;border:1px solid var(--line-strong);border-radius:var(--radius);background:var(--surface);color:var(--ink);font-weight:600;text-decoration:none}
.actions .primary{border-color:var(--accent);background:var(--accent);color:var(--accent-ink)}
.actions a:hover{border-color:var(--accent);box-shadow:0 0 0 1px var(--accent)}
figure{min-width:0;margin:0;border:1px solid var(--line);border-radius:12px;background:var(--surface);box-shadow:var(--shadow)}
figcaption{padding:10px 18px;border-bottom:1px solid var(--line);color:var(--ink-soft);font-size:.875rem;font-weight:600}
pre{margin:0;padding:16px 18px;overflow-x:auto;border-radius:0 0 12px 12px;font:13px/1.6 var(--mono)}
.pages{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,240px),1fr));gap:16px;margin:0 0 56px;padding:0;list-style:none}
.pages a{display:grid;align-content:start;gap:6px;height:100%;box-sizing:border-box;padding:20px;border:1px solid var(--line);border-radius:12px;
background:var(--surface);color:var(--ink);box-shadow:var(--shadow);text-decoration:none}
.pages a:hover{border-color:var(--accent)}
.pages strong{color:var(--accent);font-size:1.1rem}
.pages span{color:var(--ink-soft)}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,260px),1fr));gap:24px 32px;margin:0}
dt{margin-bottom:4px;font-weight:600}
dd{margin:0;color:var(--ink-soft)}
footer{margin-top:48px;padding:20px 0;border-top:1px solid var(--line);color:var(--ink-soft);font-size:.9rem}
footer p{margin:0}
footer a{color:var(--accent)}
:is(a,pre):focus-visible{outline:2px solid var(--accent);outline-offset:2px}
@media(max-width:760px){main{padding:36px 16px 16px}.hero{margin-bottom:40px}}
`;
