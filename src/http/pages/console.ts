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
 * Registers the console, a page that uses the GraphQL API like any other client (decision 43).
 * @param directory directory of the built console
 * @param demoKey returns the API key that the page offers to clients on this machine, if any
 */
export function registerConsole(
  app: FastifyInstance,
  directory: string,
  demoKey: () => string | undefined,
): void {
  const answer = registerPage(app, `${PATH}/assets`, { directory, policy: PAGE_POLICY, demoKey });
  // Relative, because the service may be served below a path prefix of a proxy.
  app.get(PATH, (_request, reply) => reply.redirect("console/"));
  app.get(`${PATH}/`, answer);
}
