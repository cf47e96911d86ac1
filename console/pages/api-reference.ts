import type { ComponentType } from "react";
import SwaggerUI from "swagger-ui-dist/swagger-ui-es-bundle.js";
import "swagger-ui-dist/swagger-ui.css";
import { onTheme } from "./site.js";
import "./api-reference.css";

/** The arguments of plugins. */
interface System {
  readonly React: typeof import("react");
  readonly specSelectors: { specJson(): { hasIn(path: readonly string[]): boolean } };
}
type Allowed = (state: unknown, path: string, method: string) => boolean;
interface HeadersProps {
  readonly headers?: { readonly size: number };
}
interface Request {
  url: string;
  readonly loadSpec?: boolean;
  readonly headers: Record<string, string>;
}

// Browsers send no body with GET: disable "Try it out" for operations that need one.
const disableGetWithBody = () => ({
  statePlugins: {
    spec: {
      wrapSelectors: {
        allowTryItOutFor:
          (allowed: Allowed, system: System) => (state: unknown, path: string, method: string) =>
            !(
              method === "get" &&
              system.specSelectors.specJson().hasIn(["paths", path, method, "requestBody"])
            ) && allowed(state, path, method),
      },
    },
  },
});
// Collapse the headers of replies, which are many and mostly the same.
const foldHeaders = () => ({
  wrapComponents: {
    headers:
      (Headers: ComponentType<HeadersProps>, { React: { createElement } }: System) =>
      (props: HeadersProps) =>
        props.headers?.size
          ? createElement(
              "details",
              null,
              createElement("summary", null, "Headers"),
              createElement(Headers, props),
            )
          : null,
  },
});
// Examples have the copy button that replies have.
const copyExamples = () => ({
  wrapComponents: {
    HighlightCode:
      (HighlightCode: ComponentType<{ readonly canCopy: boolean }>, { React }: System) =>
      (props: object) =>
        React.createElement(HighlightCode, { ...props, canCopy: true }),
  },
});
// Show the name of the document in place of its relative URL.
const nameDocument = () => ({
  wrapComponents: {
    InfoUrl:
      (_InfoUrl: unknown, { React }: System) =>
      (props: { readonly url: string }) =>
        React.createElement("a", { className: "link", href: props.url }, "openapi.json"),
  },
});

// Accept the key without its scheme, and keep the path prefix of a proxy.
const base = new URL("..", location.href).href.slice(0, -1);
function completeRequest(request: Request): Request {
  if (request.loadSpec) return request;
  request.url = request.url.replace(location.origin, base);
  const { Authorization: authorization } = request.headers;
  if (authorization && !/^token /i.test(authorization))
    request.headers["Authorization"] = `Token ${authorization.trim()}`;
  return request;
}

// Label the selects and the introduction for screen readers. The headings below the title begin with h3.
function label(root: Element): void {
  root.querySelector(".information-container")?.setAttribute("aria-label", "About this API");
  root.querySelector(".information-container")?.setAttribute("role", "region");
  for (const heading of root.querySelectorAll("h3:not([aria-level]), h4:not([aria-level])"))
    heading.ariaLevel = heading.tagName === "H3" ? "2" : "3";
  for (const select of root.querySelectorAll("select:not([aria-label])")) {
    const other = select.matches(".content-type") ? "Media type" : "Example";
    const parameter = select.closest<HTMLElement>("[data-param-name]")?.dataset["paramName"];
    select.setAttribute("aria-label", parameter ?? other);
  }
}

onTheme((isDark) => document.documentElement.classList.toggle("dark-mode", isDark));
const root = document.querySelector("#docs");
if (root) {
  new MutationObserver(() => label(root)).observe(root, { childList: true, subtree: true });
  SwaggerUI({
    url: "../openapi.json",
    domNode: root,
    defaultModelsExpandDepth: 0,
    // Keep API keys out of the browser's storage.
    persistAuthorization: false,
    validatorUrl: null,
    plugins: [disableGetWithBody, foldHeaders, copyExamples, nameDocument],
    requestInterceptor: completeRequest,
  });
}
