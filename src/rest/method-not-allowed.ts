import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { DomainError } from "../domain/shared/errors.js";

/** Responds to all other methods with 405 and an Allow header. */
export function rejectOtherMethods(app: FastifyInstance, url: string, methods: readonly string[]): void {
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
