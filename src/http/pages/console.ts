import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Services } from "../../services/services.js";
import { registerSessionRoutes, sessionOpener } from "../authentication/console-session.js";
import { registerPage } from "./page.js";
import { registerProcessStatus } from "./process-status.js";
import type { SitePage } from "./site-header.js";

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

interface ConsoleOptions {
  /** Directory of the built console; undefined disables it. */
  readonly consoleDirectory: string | undefined;
  /** Returns the API key that the page offers to clients on this machine, if any. */
  readonly demoKey: () => string | undefined;
  /** Pages that are not linked. */
  readonly disabled: readonly SitePage[];
}

/**
 * Registers the console, a page that uses the GraphQL API (decision 43), and the routes of its session.
 * @returns the function that authenticates a GraphQL request of the console by its session
 */
export function registerConsole(
  app: FastifyInstance,
  services: Services,
  { consoleDirectory: directory, demoKey, disabled }: ConsoleOptions,
): (request: FastifyRequest) => Promise<void> | undefined {
  if (directory === undefined) return () => undefined;
  const answer = registerPage(app, `${PATH}/assets`, {
    directory,
    policy: PAGE_POLICY,
    demoKey,
    disabled,
  });
  // Relative, because the service may be served below a path prefix of a proxy.
  app.get(PATH, (_request, reply) => reply.redirect("console/"));
  app.get(`${PATH}/`, answer);
  registerSessionRoutes(app, services);
  const openSession = sessionOpener(services.consoleSessions);
  registerProcessStatus(app, services, openSession);
  return openSession;
}
