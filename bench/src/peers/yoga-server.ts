import { createServer, type IncomingMessage } from "node:http";
import DataLoader from "dataloader";
import { createSchema, createYoga } from "graphql-yoga";
import { identifier, type PeerContext, queryResolvers, TYPE_DEFS } from "./graphql-contract.js";
import { announce, readSettings } from "./peer-process.js";
import { type Group, type MappingEntry, TenantQueries } from "./tenant-queries.js";

interface ServerContext {
  readonly req: IncomingMessage;
}

interface Context extends PeerContext {
  readonly mappings: DataLoader<number, MappingEntry[]>;
}

/** GraphQL Yoga as documented: on Node.js' HTTP server, with a DataLoader per request. */
const settings = readSettings();
const queries = new TenantQueries(settings);
const identify = identifier(settings);

const yoga = createYoga<ServerContext, Context>({
  schema: createSchema<Context & ServerContext>({
    typeDefs: TYPE_DEFS,
    resolvers: {
      Query: queryResolvers(queries),
      UserGroup: { mapping: ({ teamId }: Group, _: unknown, { mappings }) => mappings.load(teamId) },
    },
  }),
  context: ({ req }) => {
    const identity = identify(req.headers.authorization);
    return {
      identity,
      mappings: new DataLoader((ids: readonly number[]) => queries.findMappings(identity.tenant, ids)),
    };
  },
  graphiql: false,
  landingPage: false,
  logging: "error",
});

const server = createServer((request, response) => void yoga(request, response));
server.listen(0, "127.0.0.1", () => announce(server));
