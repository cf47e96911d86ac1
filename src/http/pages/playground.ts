import { join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { registerPage } from "./page.js";
import type { SitePage } from "./site-header.js";

/** Directory of the built page. */
export const PLAYGROUND_FOLDER = "playground";

// The editor sets inline styles and starts workers from local files; no external sources.
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
 * Registers the assets of the GraphQL playground.
 * @param directory directory of the built pages
 * @param demoKey returns the API key that the page is preset with for clients on this machine, if any
 * @param disabled pages that are not linked
 * @returns the handler of the page, for the route of the API itself
 */
export function registerPlayground(
  app: FastifyInstance,
  directory: string,
  demoKey: () => string | undefined,
  disabled: readonly SitePage[],
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const answer = registerPage(app, "/graphql/assets", {
    directory: join(directory, PLAYGROUND_FOLDER),
    policy: PAGE_POLICY,
    demoKey,
    disabled,
  });
  return async (request, reply) => {
    await answer(request, reply);
  };
}
