import type { FastifyInstance } from "fastify";
import { registerPage } from "./page.js";

const PATH = "/console";
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
  const answer = registerPage(app, `${PATH}/assets`, { directory, policy: PAGE_POLICY, demoKey });
  // Relative, as the service may stand behind a path of a proxy.
  app.get(PATH, (_request, reply) => reply.redirect("console/"));
  app.get(`${PATH}/`, answer);
}
