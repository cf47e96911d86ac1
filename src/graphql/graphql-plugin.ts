import { fastifyApolloHandler } from "@as-integrations/fastify";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Services } from "../services/services.js";
import { createApolloServer, toContextError } from "./apollo-server.js";
import { createContext } from "./context.js";

export const GRAPHQL_PATH = "/graphql";

const BODY_LIMIT = 1024 * 1024;

/**
 * Registers the GraphQL API at /graphql.
 * @param options.explore answers a browser that opens the path; without it a browser is a client like others
 */
export async function registerGraphql(
  app: FastifyInstance,
  services: Services,
  options: {
    readonly introspection: boolean;
    readonly explore?: ((request: FastifyRequest, reply: FastifyReply) => Promise<void>) | undefined;
  },
): Promise<void> {
  const apollo = createApolloServer(services, { introspection: options.introspection, logger: app.log });
  await apollo.start();
  app.addHook("onClose", () => apollo.stop());
  app.route({
    method: app.supportedMethods,
    url: GRAPHQL_PATH,
    bodyLimit: BODY_LIMIT,
    onRequest: async (request, reply) => {
      if (options.explore && request.method === "GET" && wantsPage(request))
        await options.explore(request, reply);
    },
    handler: fastifyApolloHandler(apollo, {
      async context(request) {
        const { authorization } = request.headers;
        try {
          return await createContext(services, { id: request.id, authorization });
        } catch (error) {
          throw toContextError(error, request.id, request.log);
        }
      },
    }),
  });
}

function wantsPage(request: FastifyRequest): boolean {
  return request.headers.accept?.includes("text/html") === true;
}
