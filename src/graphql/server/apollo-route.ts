import type { ApolloServer, BaseContext } from "@apollo/server";
import { fastifyApolloHandler } from "@as-integrations/fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { wantsEvents } from "./streams/event-stream.js";

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

type ContextOf<Context> = (request: FastifyRequest, reply: FastifyReply) => Promise<Context>;

/** What may answer instead of Apollo Server. */
interface Shortcut<Context> {
  /** @returns the reply's text, or the context with which Apollo Server goes on, if there is one by now */
  attempt(
    request: FastifyRequest,
    reply: FastifyReply,
    contextOf: ContextOf<Context>,
  ): Promise<{ readonly text?: string; readonly context?: Promise<Context> }>;
  /** Is told what Apollo Server has answered. */
  noteReply(request: FastifyRequest, reply: FastifyReply): void;
}

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
  contextOf: ContextOf<Context>,
  others: {
    readonly onRequest?: Answer;
    readonly checkBody?: (body: unknown) => void;
    readonly stream?: Answer;
    readonly shortcut?: Shortcut<Context>;
  } = {},
): void {
  const { onRequest = async () => undefined, checkBody = () => undefined, stream, shortcut } = others;
  const contexts = new WeakMap<FastifyRequest, Promise<Context>>();
  const answer = fastifyApolloHandler(apollo, {
    context: async (request, reply) => contexts.get(request) ?? contextOf(request, reply),
  });
  app.addHook("onClose", () => apollo.stop());
  // Decision 11, also where Apollo Server has another idea.
  app.addHook("onSend", (_request, reply, _payload, done) => {
    reply.header("cache-control", "no-store");
    done();
  });
  app.route({
    method: app.supportedMethods,
    url: "/",
    prefixTrailingSlash: "no-slash",
    bodyLimit: BODY_LIMIT,
    onRequest,
    async handler(request, reply) {
      checkBody(request.body);
      if (stream && wantsEvents(request)) return stream(request, reply);
      if (!shortcut) return answer.call(app, request, reply);
      const { text, context } = await shortcut.attempt(request, reply, contextOf);
      if (text !== undefined) return text;
      if (context) contexts.set(request, context);
      const answered = await answer.call(app, request, reply);
      shortcut.noteReply(request, reply);
      return answered;
    },
  });
}
