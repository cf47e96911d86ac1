import Fastify from "fastify";
import { mercurius } from "mercurius";
import { type Identity, identifier, queryResolvers, TYPE_DEFS } from "./graphql-contract.js";
import { announce, readSettings } from "./peer-process.js";
import { ApiKeys, type Group, Statements, TenantQueries } from "./tenant-queries.js";

declare module "mercurius" {
  interface MercuriusContext {
    readonly identity: Identity;
  }
}

/** Mercurius as documented: loaders against 1 + N statements, and compiled queries with `jit`. */
const settings = readSettings();
const statements = await Statements.open(settings);
const queries = new TenantQueries(statements);
const keys = new ApiKeys(settings, statements);
const identify = identifier(settings, (authorization) => keys.find(authorization));
const app = Fastify();
await app.register(mercurius, {
  schema: TYPE_DEFS,
  context: async (request) => ({ identity: await identify(request.headers.authorization) }),
  resolvers: { Query: queryResolvers(queries) },
  loaders: {
    UserGroup: {
      mapping: {
        loader: (groups: readonly { readonly obj: Group }[], { identity }) =>
          queries.findMappings(
            identity.tenant,
            groups.map(({ obj }) => obj.teamId),
          ),
        // A group occurs once per request, so caching would only cost time.
        opts: { cache: false },
      },
    },
  },
  ...(settings.mode === "jit" ? { jit: 1 } : {}),
});
await app.listen({ host: "127.0.0.1", port: 0 });
announce(app.server);
