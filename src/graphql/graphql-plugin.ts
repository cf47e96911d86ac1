import { fastifyApolloHandler } from "@as-integrations/fastify";
import cors from "@fastify/cors";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Services } from "../services/services.js";
import { createApolloServer, toContextError } from "./apollo-server.js";
import { createContext } from "./context.js";

export const GRAPHQL_PATH = "/graphql";

/** What a page may read of a reply's headers. */
const EXPOSED_HEADERS = ["X-Request-Id", "Retry-After"];
const DAY_S = 86_400;
const BODY_LIMIT = 1024 * 1024;

/**
 * Registers the GraphQL API, in a scope with the prefix /graphql.
 * @param options.explore answers a browser that opens the path; without it a browser is a client like others
 */
export async function registerGraphql(
  app: FastifyInstance,
  services: Services,
  options: {
    readonly corsOrigins: readonly string[] | "*";
    readonly introspection: boolean;
    readonly explore?: ((request: FastifyRequest, reply: FastifyReply) => Promise<void>) | undefined;
  },
): Promise<void> {
  const apollo = createApolloServer(services, { introspection: options.introspection, logger: app.log });
  await apollo.start();
  app.addHook("onClose", () => apollo.stop());
  if (options.corsOrigins.length > 0) {
    const origin = options.corsOrigins === "*" ? "*" : [...options.corsOrigins];
    await app.register(cors, {
      origin,
      methods: ["GET", "POST"],
      exposedHeaders: EXPOSED_HEADERS,
      maxAge: DAY_S,
    });
  }
  app.route({
    method: app.supportedMethods,
    url: "/",
    prefixTrailingSlash: "no-slash",
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
