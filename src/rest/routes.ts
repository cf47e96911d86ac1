import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { DomainError } from "../domain/shared/errors.js";
import type { Services } from "../services/services.js";
import { registerOperations } from "./authenticated-routes.js";
import { EMBED_SESSION_OPERATIONS, EMBED_SESSION_PATH, registerKeySet } from "./embed-sessions.js";
import { USER_OPERATIONS, USER_PATH } from "./user-groups.js";

/** Registers the REST API. The app must accept GET requests with a body. */
export function registerRestRoutes(app: FastifyInstance, services: Services): void {
  registerOperations(app, services, USER_PATH, USER_OPERATIONS);
  registerOperations(app, services, EMBED_SESSION_PATH, EMBED_SESSION_OPERATIONS);
  registerKeySet(app, services);
}

/**
 * Responds to the other methods of every path with 405 and an Allow header.
 * @returns a function to call once all routes are registered
 */
export function rejectOtherMethods(app: FastifyInstance): () => void {
  const methodsByUrl = new Map<string, string[]>();
  app.addHook("onRoute", ({ url, method }) => {
    methodsByUrl.set(url, [...(methodsByUrl.get(url) ?? []), method].flat());
  });
  return () => {
    const routes = [...methodsByUrl];
    for (const [url] of routes) {
      // `/site-config/:site` also serves `/site-config/validate`.
      const allowed = routes.filter(([pattern]) => matches(pattern, url)).flatMap(([, methods]) => methods);
      rejectMethods(app, url, [...new Set(allowed)]);
    }
  };
}

function matches(pattern: string, url: string): boolean {
  const source = pattern.replaceAll(/[.+?]/g, "\\$&").replaceAll(/:\w+/g, "[^/]+").replaceAll("*", ".*");
  return new RegExp(`^${source}$`).test(url);
}

function rejectMethods(app: FastifyInstance, url: string, methods: readonly string[]): void {
  const allowed = methods.join(", ");
  const reject = async (request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    reply.header("allow", allowed);
    throw new DomainError(
      "method_not_allowed",
      `${request.method} is not allowed on this path. Use ${allowed}.`,
    );
  };
  app.route({
    method: app.supportedMethods.filter((method) => !methods.includes(method)),
    url,
    // Reject before the body is read.
    onRequest: reject,
    handler: reject,
  });
}
