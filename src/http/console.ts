import type { FastifyInstance } from "fastify";
import { readConsole } from "./console-files.js";
import { demoKeyAttribute } from "./demo-key.js";
import { isOpenedHere } from "./loopback.js";
import { loadOnce, pageHeaders, registerAssets } from "./page-assets.js";

const PATH = "/console";
const ROOT = '<div id="root"';
const NOT_BUILT =
  "The console has not been built: run `npm run build` in the folder of the service, then open this page again.\n";
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/**
 * Registers the console, a page that uses the GraphQL API as any other client does (decision 43).
 * @param directory where it was built
 * @param demoKey the API key that the page offers to those at this machine; none where it answers undefined
 */
export function registerConsole(
  app: FastifyInstance,
  directory: string,
  demoKey: () => string | undefined,
): void {
  const load = loadOnce(() => readConsole(directory));
  // Relative, as the service may stand behind a path of a proxy.
  app.get(PATH, (_request, reply) => reply.redirect("console/"));
  app.get(`${PATH}/`, async (request, reply) => {
    reply.headers(pageHeaders(PAGE_POLICY)).header("cross-origin-opener-policy", "same-origin");
    const loaded = await load();
    if (!loaded) return reply.code(503).type("text/plain; charset=utf-8").send(NOT_BUILT);
    // Decision 26.
    const key = isOpenedHere(request) ? demoKey() : undefined;
    const page = loaded.page.replace(ROOT, () => ROOT + demoKeyAttribute(key));
    return reply.send(page);
  });
  registerAssets(app, `${PATH}/assets`, async () => (await load())?.assets);
}
