import { renderHeader, THEME_SCRIPT } from "./site-header.js";

/** File names of the page's assets. */
interface PageFiles {
  readonly style: string;
  readonly script: string;
  readonly start: string;
}

/** Renders the page. Links are relative, so that it works below a path prefix of a proxy. */
export function renderDocsPage({ style, script, start }: PageFiles): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>User groups: REST API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/assets/${style}">
<script src="docs/assets/${start}"></script>
<script src="docs/assets/${script}" defer></script>
</head>
<body>
<noscript>This page requires JavaScript. The OpenAPI document does not: <a href="../openapi.json">openapi.json</a></noscript>
${renderHeader("api-docs", "../")}
<main id="docs"></main>
</body>
</html>
`;
}

/** The start script of the page. Applies the theme before the first paint. */
export const START_SCRIPT = `${THEME_SCRIPT}
const applyColorScheme = () => document.documentElement.classList.toggle("dark-mode", currentTheme().isDark);
document.addEventListener("theme", applyColorScheme);
applyColorScheme();
// Browsers send no body with GET: disable "Try it out" for operations that need one.
const disableGetWithBody = () => ({
  statePlugins: {
    spec: {
      wrapSelectors: {
        allowTryItOutFor: (allowed, { specSelectors }) => (state, path, method) =>
          !(method === "get" && specSelectors.specJson().hasIn(["paths", path, method, "requestBody"])) &&
          allowed(state, path, method),
      },
    },
  },
});
// Collapse the headers of replies, which are many and mostly the same.
const foldHeaders = () => ({
  wrapComponents: {
    headers: (Headers, { React }) => (props) =>
      props.headers?.size
        ? React.createElement("details", null, React.createElement("summary", null, "Headers"), React.createElement(Headers, props))
        : null,
  },
});
// Accept the key without its scheme, and keep the path prefix of a proxy.
const base = new URL("..", location.href).href.slice(0, -1);
function completeRequest(request) {
  if (request.loadSpec) return request;
  request.url = request.url.replace(location.origin, base);
  const { Authorization: authorization } = request.headers;
  if (authorization && !/^token /i.test(authorization)) request.headers.Authorization = "Token " + authorization.trim();
  return request;
}
// Label the selects for screen readers.
function label(root) {
  for (const select of root.querySelectorAll("select:not([aria-label])")) {
    const other = select.matches(".content-type") ? "Media type" : "Example";
    select.setAttribute("aria-label", select.closest("[data-param-name]")?.dataset.paramName ?? other);
  }
}
addEventListener("DOMContentLoaded", () => {
  const root = document.querySelector("#docs");
  new MutationObserver(() => label(root)).observe(root, { childList: true, subtree: true });
  SwaggerUIBundle({
    url: "../openapi.json",
    domNode: root,
    defaultModelsExpandDepth: 0,
    // Keep API keys out of the browser's storage.
    persistAuthorization: false,
    validatorUrl: null,
    plugins: [disableGetWithBody, foldHeaders],
    requestInterceptor: completeRequest,
  });
});
`;

/** Style sheet appended to that of Swagger UI. */
export const DOCS_STYLE = `
body{margin:0}
[hidden]{display:none!important}
.swagger-ui .info{margin:30px 0 10px;max-width:50em}
.swagger-ui .scheme-container .schemes>.schemes-server-container{display:none}
.swagger-ui .scheme-container{padding:10px 0 20px;margin-bottom:10px}
.swagger-ui .markdown code,.swagger-ui .renderedMarkdown code{font-weight:400;padding:1px 4px}
.swagger-ui .markdown pre,.swagger-ui .renderedMarkdown pre{overflow-x:auto}
.swagger-ui .markdown pre>code,.swagger-ui .renderedMarkdown pre>code{white-space:pre-wrap;overflow-wrap:anywhere}
.swagger-ui .opblock-description{max-width:60em}
html:not(.dark-mode) .swagger-ui .info .title small{background:#5b6170}
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp{background:#4a6b00}
html:not(.dark-mode) .swagger-ui :is(.markdown,.renderedMarkdown) code{color:#6b0fbe}
html:not(.dark-mode) .swagger-ui .info .link{color:#2a63b8}
html:not(.dark-mode) .swagger-ui .authorize{border-color:#14724a;color:#14724a}
html:not(.dark-mode) .swagger-ui .authorize svg{fill:#14724a}
html:not(.dark-mode) .swagger-ui .parameter__in{color:#5f6368}
html:not(.dark-mode) .swagger-ui :is(.opblock-get,.opblock-put,.opblock-post,.opblock-delete) .opblock-summary-method{color:#000;text-shadow:none}
html.dark-mode .swagger-ui .opblock.opblock-put .opblock-section-header{background:#7d4529!important}
html.dark-mode .swagger-ui :is(.examples-select__section-label,table.headers td){color:#e4e6e6}
.swagger-ui .headers__title{display:none}
.swagger-ui details>summary{cursor:pointer;font-size:14px;padding:6px 0}
.swagger-ui .responses-table .response-col_links{display:none!important}
@media(max-width:640px){
.swagger-ui .wrapper{padding:0 10px}
.swagger-ui .opblock-tag{flex-wrap:wrap}
.swagger-ui .opblock-tag small{flex-basis:80%;order:2;padding:0}
.swagger-ui .responses-inner{padding:10px}
.swagger-ui .responses-table,.swagger-ui .responses-table>tbody,.swagger-ui .response,.swagger-ui .response>td,
.swagger-ui table.parameters,.swagger-ui table.parameters tbody,.swagger-ui table.parameters tr,.swagger-ui table.parameters td{display:block;width:auto}
.swagger-ui .responses-table>thead,.swagger-ui table.parameters thead{display:none}
.swagger-ui .response>.response-col_status{padding-bottom:0}
.swagger-ui .response>.response-col_description{padding-top:4px}
.swagger-ui .headers-wrapper,.swagger-ui details{overflow-x:auto}
}
`;
