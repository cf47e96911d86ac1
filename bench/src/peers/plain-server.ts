import { createServer } from "node:http";
import { ApolloServer } from "@apollo/server";
import { expressMiddleware } from "@as-integrations/express5";
import express from "express";
import type { GraphQLResolveInfo, SelectionSetNode } from "graphql";
import { DataSource, type FindOptionsWhere, MoreThan } from "typeorm";
import { VALUE_PARSERS } from "../../../src/persistence/shared/value-parsers.js";
import {
  identifier,
  idOfCursor,
  type OneArguments,
  type PageArguments,
  type PeerContext,
  TYPE_DEFS,
  toPage,
} from "./graphql-contract.js";
import { announce, readSettings, tenantOf } from "./peer-process.js";
import { DataSourceModel, MappingEntryModel, UserGroupModel } from "./plain-entities.js";

/** A common stack without tuning: Express, Apollo Server, and TypeORM's `find` with relations. */
const settings = readSettings();
const { user, ...connection } = settings.connection;
const orm = await new DataSource({
  type: "postgres",
  ...connection,
  username: user,
  entities: [UserGroupModel, MappingEntryModel, DataSourceModel],
  poolSize: settings.poolSize,
  extra: { types: VALUE_PARSERS },
}).initialize();
const groups = orm.getRepository(UserGroupModel);
const identify = identifier(settings, (authorization) => tenantOf(settings, authorization));

async function findOne(where: FindOptionsWhere<UserGroupModel>, info: GraphQLResolveInfo) {
  return groups.findOne({ where, ...withMapping(info) });
}

const apollo = new ApolloServer<PeerContext>({
  typeDefs: TYPE_DEFS,
  resolvers: {
    Query: {
      userGroup: (_: unknown, { by }: OneArguments, { identity }: PeerContext, info: GraphQLResolveInfo) =>
        findOne({ ...identity.tenant, providedId: by.providedId }, info),
      async userGroups(
        _: unknown,
        { first, after }: PageArguments,
        { identity }: PeerContext,
        info: GraphQLResolveInfo,
      ) {
        const page = await groups.find({
          where: { ...identity.tenant, teamId: MoreThan(idOfCursor(after)) },
          take: first + 1,
          ...withMapping(info),
          order: { teamId: "ASC" },
        });
        return toPage(page, first);
      },
      async viewer(_: unknown, _given: unknown, { identity }: PeerContext, info: GraphQLResolveInfo) {
        const { tenant, tokenLookup } = identity;
        return { userGroup: tokenLookup && (await findOne({ ...tenant, tokenLookup }, info)) };
      },
    },
    UserGroup: {
      // Sort here: with a relation in ORDER BY, TypeORM's `take` counts joined rows.
      mapping: ({ mapping }: UserGroupModel) =>
        mapping.toSorted((one, other) => (one.schemaId < other.schemaId ? -1 : 1)),
    },
  },
});
await apollo.start();

const app = express();
app.use(
  "/graphql",
  express.json(),
  expressMiddleware(apollo, {
    context: async ({ req }) => ({ identity: await identify(req.headers.authorization) }),
  }),
);
const server = createServer(app);
server.listen(0, "127.0.0.1", () => announce(server));

/** The relations that the query selects. */
function withMapping({ fieldNodes }: GraphQLResolveInfo) {
  if (!fieldNodes.some(({ selectionSet }) => selects(selectionSet, "mapping"))) return {};
  return { relations: { mapping: { dataSource: true } } };
}

function selects(set: SelectionSetNode | undefined, name: string): boolean {
  return (set?.selections ?? []).some(
    (node) => node.kind === "Field" && (node.name.value === name || selects(node.selectionSet, name)),
  );
}
