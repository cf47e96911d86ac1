import type { ApolloServer, BaseContext } from "@apollo/server";
import { fastifyApolloHandler } from "@as-integrations/fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { wantsEvents } from "./event-stream.js";

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** Decision 12: a site configuration of the greatest size fits, as a string with its escapes. */
const BODY_LIMIT = 4 * 1024 * 1024;

/**
 * Has an Apollo Server, already started, answer at the path of a scope, and stops it with the scope.
 * @param contextOf makes the context of a request
 * @param others.onRequest may answer before the body is read
 * @param others.checkBody may throw, before anything is made of the body
 * @param others.stream answers whoever wants events
 */
export function registerApolloRoute<Context extends BaseContext>(
  app: FastifyInstance,
  apollo: ApolloServer<Context>,
  contextOf: (request: FastifyRequest, reply: FastifyReply) => Promise<Context>,
  others: {
    readonly onRequest?: Answer;
    readonly checkBody?: (body: unknown) => void;
    readonly stream?: Answer;
  } = {},
): void {
  const { onRequest = async () => undefined, checkBody = () => undefined, stream } = others;
  const answer = fastifyApolloHandler(apollo, { context: contextOf });
  app.addHook("onClose", () => apollo.stop());
  // Decision 11, also where Apollo Server has another idea.
  app.addHook("onSend", async (_request, reply) => {
    reply.header("cache-control", "no-store");
  });
  app.route({
    method: app.supportedMethods,
    url: "/",
    prefixTrailingSlash: "no-slash",
    bodyLimit: BODY_LIMIT,
    onRequest,
    async handler(request, reply) {
      checkBody(request.body);
      return stream && wantsEvents(request) ? stream(request, reply) : answer.call(app, request, reply);
    },
  });
}
