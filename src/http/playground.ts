import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { isOpenedHere } from "./loopback.js";
import { type Assets, loadAssets } from "./playground-assets.js";
import { renderPage } from "./playground-page.js";
import { sendAsset } from "./static-asset.js";

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
].join("; ");
/**
 * Registers the files of the GraphQL playground.
 * @param demoKey the API key that the page begins with for those at this machine; none where it answers undefined
 * @returns what answers with its page, for the route of the API itself
 */
export function registerPlayground(
  app: FastifyInstance,
  demoKey: () => string | undefined,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  let assets: Promise<Assets> | undefined;
  // Not before somebody opens the page.
  const load = () => {
    assets ??= loadAssets();
    return assets;
  };
  app.get<{ Params: { file: string } }>("/graphql/assets/:file", async (request, reply) => {
    const file = (await load()).files.get(request.params.file);
    if (!file) return reply.callNotFound();
    return sendAsset(request, reply, file);
  });
  return async (request, reply) => {
    const { page } = await load();
    // Decision 26.
    const key = isOpenedHere(request) ? demoKey() : undefined;
    await reply
      .header("content-security-policy", PAGE_POLICY)
      .header("x-content-type-options", "nosniff")
      .header("referrer-policy", "no-referrer")
      .header("cache-control", "no-store")
      .type("text/html; charset=utf-8")
      .send(renderPage(page, key));
  };
}
