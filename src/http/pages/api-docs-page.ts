import { renderHtml } from "./page-html.js";
import { THEME_SCRIPT } from "./site-header.js";

/** File names of the page's assets. */
interface PageFiles {
  readonly style: string;
  readonly script: string;
  readonly start: string;
}

export function renderDocsPage(files: PageFiles): string {
  return renderHtml({
    ...files,
    current: "api-docs",
    title: "User groups: REST API",
    root: "../",
    assets: "docs/assets",
    content: `<noscript>This page requires JavaScript. The OpenAPI document does not: <a href="../openapi.json">openapi.json</a></noscript>
<main id="docs"></main>`,
  });
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
// Show the name of the document in place of its relative URL.
const nameDocument = () => ({
  wrapComponents: {
    InfoUrl: (_InfoUrl, { React }) => ({ url }) => React.createElement("a", { className: "link", href: url }, "openapi.json"),
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
    plugins: [disableGetWithBody, foldHeaders, nameDocument],
    requestInterceptor: completeRequest,
  });
});
`;

/** Style sheet appended to that of Swagger UI. */
export const DOCS_STYLE = `
body{margin:0}
html,html.dark-mode,body,.swagger-ui{background:var(--ground)!important}
[hidden]{display:none!important}
.swagger-ui{color:var(--ink);line-height:1.5}
.swagger-ui :not(:is(pre,code,textarea,.opblock-summary-path,.opblock-summary-path__deprecated,.parameter__type),:is(pre,code,.opblock-summary-path) *){font-family:var(--sans)!important}
.swagger-ui :is(pre,code,textarea,.opblock-summary-path,.parameter__type,.microlight){font-family:var(--mono)!important}
.swagger-ui .wrapper{max-width:1168px;padding:0 24px}
.swagger-ui .info{margin:40px 0 12px;max-width:50em}
.swagger-ui :is(.info .title,.opblock-tag,h4,.opblock .opblock-summary-path){color:var(--ink)!important}
.swagger-ui :is(.info p,.info li,.renderedMarkdown p,.markdown p,.opblock-tag small,.opblock .opblock-summary-description,.info .base-url){color:var(--ink-soft);font-size:15px;line-height:1.6}
.swagger-ui .info p{margin:0 0 12px}
.swagger-ui .info .title{font-size:32px;letter-spacing:-.02em}
.swagger-ui .info .title small{top:-6px;background:var(--ink-soft)!important}
.swagger-ui .info .title small pre{color:var(--ground)}
.swagger-ui .info .title small.version-stamp{background:var(--good)!important}
.swagger-ui :is(.info .link,.markdown a,.renderedMarkdown a){color:var(--accent)!important;font-size:14px}
.swagger-ui .scheme-container{margin-bottom:10px;padding:10px 0 24px;border-bottom:1px solid var(--line);background:none!important;box-shadow:none}
.swagger-ui .scheme-container .schemes>.schemes-server-container{display:none}
.swagger-ui .opblock-tag{border-color:var(--line)!important;font-size:22px}
.swagger-ui .opblock-tag:hover{background:var(--sunken)!important}
.swagger-ui .opblock{margin-bottom:10px;border-radius:8px;box-shadow:none}
.swagger-ui :is(.markdown,.renderedMarkdown) code{padding:1px 5px;border-radius:4px;background:var(--accent-soft)!important;color:var(--ink)!important;font-weight:400}
.swagger-ui :is(.markdown,.renderedMarkdown) pre{overflow-x:auto}
.swagger-ui :is(.markdown,.renderedMarkdown) pre>code{padding:0;background:none!important;color:inherit!important;white-space:pre-wrap;overflow-wrap:anywhere}
.swagger-ui .opblock-description{max-width:60em}
.swagger-ui .btn.authorize{border-color:var(--accent)!important;color:var(--accent)!important}
.swagger-ui .btn.authorize :is(svg,svg *){fill:var(--accent)!important}
.swagger-ui :is(a,button,input,select,textarea,summary,[tabindex="0"]):focus-visible{outline:2px solid var(--accent);outline-offset:2px}
html:not(.dark-mode) .swagger-ui .parameter__in{color:#5f6368}
html:not(.dark-mode) .swagger-ui .response-control-media-type__accept-message{color:#006400}
.swagger-ui .microlight span[style*="211, 99, 99"]{color:#f2a0a0!important}
html:not(.dark-mode) .swagger-ui :is(.opblock-get,.opblock-put,.opblock-post,.opblock-delete) .opblock-summary-method{color:#000;text-shadow:none}
html.dark-mode .swagger-ui .opblock.opblock-put .opblock-section-header{background:#7d4529!important}
html.dark-mode .swagger-ui :is(.examples-select__section-label,table.headers td){color:#e4e6e6}
.swagger-ui .headers__title{display:none}
.swagger-ui details>summary{cursor:pointer;font-size:14px;padding:6px 0}
.swagger-ui .responses-table .response-col_links{display:none!important}
@media(max-width:640px){
.swagger-ui .wrapper{padding:0 16px}
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
