import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { readBuiltPage } from "./built-page.js";
import { DEMO_KEY_HEADERS, demoKeyAttribute } from "./demo-key.js";
import { isDirectLocalRequest } from "./loopback.js";
import { registerAssets } from "./page-assets.js";
import { hideLinks, type SitePage } from "./site-header.js";

const ROOT = '<div id="root"';
const NOT_BUILT =
  "This page has not been built. Run `npm run build` in the service's directory, then reload the page.\n";

export interface PageOptions {
  /** Directory of the built page. */
  readonly directory: string;
  /** Content-Security-Policy directives. */
  readonly policy: readonly string[];
  /** Returns the API key to embed for clients on this machine (decision 26), if any. */
  readonly demoKey?: () => string | undefined;
  /** Pages whose links are hidden, because this service does not serve them. */
  readonly disabled?: readonly SitePage[];
}

/**
 * Registers the assets of a page below a path.
 * @returns the handler of the page itself
 */
export function registerPage(
  app: FastifyInstance,
  assetPath: string,
  { directory, policy, demoKey, disabled = [] }: PageOptions,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const load = loadOnce(() => readBuiltPage(directory));
  registerAssets(app, assetPath, load);
  const headers = { ...pageHeaders(policy), ...(demoKey ? DEMO_KEY_HEADERS : {}) };
  return async (request, reply) => {
    reply.headers(headers);
    const page = await load();
    if (!page) return reply.code(503).type("text/plain; charset=utf-8").send(NOT_BUILT);
    const html = hideLinks(page.html, disabled);
    return reply.send(withDemoKey(html, isDirectLocalRequest(request) ? demoKey?.() : undefined));
  };
}

/** Content-Security-Policy directives of a page that only shows text and links. */
export const PLAIN_PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** Returns whether a browser opens the URL as a page. */
export function acceptsHtml({ headers: { accept } }: FastifyRequest): boolean {
  return accept?.includes("text/html") === true;
}

/** Loads a value on first use and caches it. Failures and undefined are not cached. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  const reset = () => {
    loading = undefined;
  };
  return () => {
    if (!loading) {
      loading = load();
      loading.then((loaded) => loaded === undefined && reset(), reset);
    }
    return loading;
  };
}

function withDemoKey(html: string, key: string | undefined): string {
  return html.replace(ROOT, () => ROOT + demoKeyAttribute(key));
}

/** Headers of a page with the given Content-Security-Policy directives. */
export function pageHeaders(policy: readonly string[]): Readonly<Record<string, string>> {
  return {
    "content-security-policy": policy.join("; "),
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
  };
}
