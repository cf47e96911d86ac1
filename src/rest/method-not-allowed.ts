import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { DomainError } from "../domain/shared/errors.js";

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
