import { join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { registerPage } from "./page.js";

/** The folder of the built page. */
export const PLAYGROUND_FOLDER = "playground";

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
 * @param directory where the pages were built
 * @param demoKey the API key that the page begins with for those at this machine; none where it answers undefined
 * @returns what answers with its page, for the route of the API itself
 */
export function registerPlayground(
  app: FastifyInstance,
  directory: string,
  demoKey: () => string | undefined,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  const answer = registerPage(app, "/graphql/assets", {
    directory: join(directory, PLAYGROUND_FOLDER),
    policy: PAGE_POLICY,
    demoKey,
  });
  return async (request, reply) => {
    await answer(request, reply);
  };
}
