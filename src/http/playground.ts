import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isOpenedHere } from "./loopback.js";
import { loadOnce, pageHeaders, registerAssets } from "./page-assets.js";
import { loadPlayground } from "./playground-assets.js";
import { renderPage } from "./playground-page.js";

// The editor styles its own elements and starts its workers from our files; nothing comes from another host.
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "worker-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/**
 * Registers the files of the GraphQL playground.
 * @param demoKey the API key that the page begins with for those at this machine; none where it answers undefined
 * @returns what answers with its page, for the route of the API itself
 */
export function registerPlayground(
  app: FastifyInstance,
  demoKey: () => string | undefined,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const load = loadOnce(loadPlayground);
  registerAssets(app, "/graphql/assets", async () => (await load()).files);
  return async (request, reply) => {
    const { page } = await load();
    // Decision 26.
    const key = isOpenedHere(request) ? demoKey() : undefined;
    await reply.headers(pageHeaders(PAGE_POLICY)).send(renderPage(page, key));
  };
}
