import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type BuiltPage, readBuiltPage } from "./built-page.js";
import { DEMO_KEY_HEADERS, demoKeyAttribute } from "./demo-key.js";
import { isOpenedHere } from "./loopback.js";
import { registerAssets } from "./page-assets.js";

const ROOT = '<div id="root"';
const NOT_BUILT =
  "This page has not been built: run `npm run build` in the folder of the service, then open it again.\n";

export interface PageOptions {
  /** Where the page was built. */
  readonly directory: string;
  /** Its Content-Security-Policy. */
  readonly policy: readonly string[];
  /** The API key that the page gets at this machine (decision 26); none where it answers undefined. */
  readonly demoKey?: () => string | undefined;
}

/**
 * Registers the assets of a page below a path.
 * @returns the handler that answers with the page itself
 */
export function registerPage(
  app: FastifyInstance,
  assetPath: string,
  { directory, policy, demoKey }: PageOptions,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const load = loadOnce(() => readBuiltPage(directory));
  registerAssets(app, assetPath, load);
  const headers = { ...pageHeaders(policy), ...(demoKey ? DEMO_KEY_HEADERS : {}) };
  return async (request, reply) => {
    reply.headers(headers);
    const page = await load();
    if (!page) return reply.code(503).type("text/plain; charset=utf-8").send(NOT_BUILT);
    return reply.send(withDemoKey(page, isOpenedHere(request) ? demoKey?.() : undefined));
  };
}

/** Loads something when it is first asked for; again after a failure, and after there was nothing to load. */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  const forget = () => {
    loading = undefined;
  };
  return () => {
    if (!loading) {
      loading = load();
      loading.then((loaded) => loaded === undefined && forget(), forget);
    }
    return loading;
  };
}

function withDemoKey({ html }: BuiltPage, key: string | undefined): string {
  return html.replace(ROOT, () => ROOT + demoKeyAttribute(key));
}

function pageHeaders(policy: readonly string[]): Readonly<Record<string, string>> {
  return {
    "content-security-policy": policy.join("; "),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "content-type": "text/html; charset=utf-8",
  };
}
