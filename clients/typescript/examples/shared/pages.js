import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { customers } from "./customers.js";

/** The page's scripts and style sheet. The client's browser part is one file and needs no bundler. */
export const assets = [
  asset("user-groups-client.js", "text/javascript", import.meta.resolve("@user-groups/client/browser")),
  asset("dashboard.js", "text/javascript", new URL("./dashboard.js", import.meta.url).href),
  asset("style.css", "text/css", new URL("./style.css", import.meta.url).href),
];

/** The headers of every page: only our scripts and styles, requests to us and the service, no caching of a customer's page. */
export function pageHeaders(/** @type {string} */ serviceUrl) {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src 'self' ${new URL(serviceUrl).origin}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  };
}

/** @param {{ serviceUrl: string, customerName: string }} viewer */
export function dashboardPage({ serviceUrl, customerName }) {
  return page(
    `Dashboard of ${customerName}`,
    `<header>
<h1>Dashboard of ${escapeHtml(customerName)}</h1>
<form method="post" action="/sign-out"><button>Sign out</button></form>
</header>
<h2 id="title"></h2>
<svg id="chart" role="img" aria-labelledby="title" viewBox="0 0 640 240"></svg>
<dl id="variables"></dl>
<ul id="mapping"></ul>
<p id="status" role="status">Loading…</p>
<script type="application/json" id="viewer">${scriptJson({ url: serviceUrl })}</script>
<script type="module" src="/assets/dashboard.js"></script>`,
  );
}

export function signInPage() {
  const choices = [...customers.values()].map(
    ({ id, name }) => `<button name="customer" value="${escapeHtml(id)}">${escapeHtml(name)}</button>`,
  );
  return page(
    "Sign in",
    `<h1>Sign in</h1>\n<form method="post" action="/sign-in">${choices.join(" ")}</form>`,
  );
}

export function unavailablePage() {
  return page("Not available", "<h1>The dashboard is temporarily unavailable</h1>\n<p>Please try again.</p>");
}

/** @param {string} name @param {string} type @param {string} file its URL */
function asset(name, type, file) {
  const text = readFileSync(fileURLToPath(file), "utf8");
  return { path: `/assets/${name}`, type: `${type}; charset=utf-8`, text };
}

/** @param {string} title @param {string} body HTML */
function page(title, body) {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/assets/style.css"></head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

/** @param {string} text */
function escapeHtml(text) {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Returns JSON in which no text can close the script element. @param {unknown} value */
function scriptJson(value) {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
