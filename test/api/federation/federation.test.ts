import { readFile } from "node:fs/promises";
import {
  ApolloGateway,
  LocalCompose,
  LocalGraphQLDataSource,
  RemoteGraphQLDataSource,
} from "@apollo/gateway";
import { ApolloServer } from "@apollo/server";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { parse } from "graphql";
import { expect, onTestFinished, test } from "vitest";
import { printSubgraphSdl } from "../../../src/graphql/server/federation/subgraph-schema.js";
import { type Data, useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";

const graphql = useGraphql({ subgraph: true });

/** A second subgraph: invoices of user groups. */
const BILLING = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.4", import: ["@key", "@shareable"])
  type UserGroup @key(fields: "providedId") { providedId: String! invoices: Int! }
  type DataSource @key(fields: "id") { id: ID! price: Int! }
  type PageInfo @shareable { hasNextPage: Boolean! }
  type Invoice { id: ID! userGroup: UserGroup }
  type Query { invoices: [Invoice!]! }
`);
const INVOICED = ["composed", "absent"];
const billing = buildSubgraphSchema([
  {
    typeDefs: BILLING,
    resolvers: {
      UserGroup: { invoices: ({ providedId }: Data) => providedId.length },
      DataSource: { price: () => 7 },
      Query: {
        invoices: () =>
          INVOICED.map((providedId) => ({
            id: providedId,
            userGroup: { providedId },
          })),
      },
    },
  },
]);

/** A third subgraph with types of its own whose names are common, keyed by the ID that embed sessions contain. */
const SUPPORT = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.4", import: ["@key", "@shareable"])
  scalar DateTime
  scalar JSON
  scalar SafeInt
  type UserGroup @key(fields: "teamId") { teamId: SafeInt! tickets(range: DateTimeRange, by: OrderDirection): TicketConnection! }
  interface Node { id: ID! environment: Environment! createdAt: DateTime! }
  type Ticket implements Node { id: ID! environment: Environment! createdAt: DateTime! labels: JSON apiKey: ApiKey }
  type TicketConnection { nodes: [Ticket!]! pageInfo: PageInfo! by: OrderDirection }
  type PageInfo @shareable { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
  type ApiKey @key(fields: "id") { id: ID! issuedBy: String! environment: Environment! }
  enum Environment { PRODUCTION STAGING }
  enum OrderDirection { ascending descending }
  input DateTimeRange { start: DateTime! end: DateTime! in: [Environment!] }
  type SiteConfig { theme: String! }
  type WebhookEndpoint { address: String! }
  type Query {
    node(id: ID!): Node
    nodes(ids: [ID!]!): [Node]!
    apiKeys: [ApiKey!]!
    siteConfig: SiteConfig
    webhookEndpoints: [WebhookEndpoint!]!
    groupsWithTickets: [UserGroup!]!
  }
  type Mutation { createApiKey(environment: Environment!): ApiKey }
`);
const ticket = { __typename: "Ticket", id: "1", environment: "STAGING" };
const PAGE = { hasNextPage: false, hasPreviousPage: false };
const support = buildSubgraphSchema([
  {
    typeDefs: SUPPORT,
    resolvers: {
      UserGroup: {
        tickets: (_: Data, { by }: Data) => ({ nodes: [ticket], pageInfo: PAGE, by }),
      },
      Query: {
        node: () => ticket,
        groupsWithTickets: async () => {
          const { userGroup } = await graphql().run(
            '{ userGroup(by: { providedId: "composed" }) { teamId } }',
          );
          return [userGroup];
        },
      },
    },
  },
]);

/** Composes the subgraphs; requests to the service carry the client's Authorization header. */
async function startSupergraph(): Promise<ApolloServer<{ authorization: string }>> {
  const url = `${graphql().service.url}/graphql`;
  const { body } = await graphql().call("{ _service { sdl } }");
  const { sdl } = Object(body).data._service;
  const server = new ApolloServer<{ authorization: string }>({
    gateway: new ApolloGateway({
      supergraphSdl: new LocalCompose({
        localServiceList: [
          { name: "user-groups", url, typeDefs: parse(sdl) },
          { name: "billing", url: "http://billing.invalid", typeDefs: BILLING },
          { name: "support", url: "http://support.invalid", typeDefs: SUPPORT },
        ],
      }),
      buildService({ name }) {
        if (name !== "user-groups") return new LocalGraphQLDataSource(name === "billing" ? billing : support);
        return new RemoteGraphQLDataSource({
          url,
          willSendRequest({ request, context }) {
            const { authorization } = Object(context);
            if (authorization) request.http?.headers.set("authorization", authorization);
          },
        });
      },
    }),
  });
  onTestFinished(() => server.stop());
  return server;
}

async function query(
  server: ApolloServer<{ authorization: string }>,
  text: string,
  authorization: string,
  variables: Readonly<Record<string, unknown>> = {},
): Promise<Data> {
  const reply = await server.executeOperation(
    { query: text, variables },
    { contextValue: { authorization } },
  );
  return reply.body.kind === "single" ? reply.body.singleResult : undefined;
}

test("the SDL is committed and served", async () => {
  const committed = await readFile(new URL("../../../schema-subgraph.graphql", import.meta.url), "utf8");
  expect(committed).toBe(printSubgraphSdl());
  for (const file of ["schema-subgraph.graphql", "schema.graphql"]) {
    const reply = await fetch(`${graphql().service.url}/${file}`);
    expect(reply.headers.get("content-type")).toBe("application/graphql; charset=utf-8");
    expect(await reply.text()).toBe(await readFile(new URL(`../../../${file}`, import.meta.url), "utf8"));
  }
});

test("a supergraph answers across its subgraphs, with the caller's credentials", async () => {
  const { keys, strangerKey } = graphql();
  await createUserGroup(graphql(), "composed", { mapping: [entry("a", "sales")] });
  const server = await startSupergraph();
  const across = `{
    userGroup(by: { providedId: "composed" }) { name invoices mapping { dataSource { name price } } }
    invoices { id userGroup { name } }
  }`;
  expect(await query(server, across, `Token ${keys.admin}`)).toMatchObject({
    data: {
      userGroup: {
        name: "composed",
        invoices: 8,
        mapping: [{ dataSource: { name: "Sales database", price: 7 } }],
      },
      invoices: [
        { id: "composed", userGroup: { name: "composed" } },
        { id: "absent", userGroup: null },
      ],
    },
  });
  // Neither another account nor a caller without credentials learns what exists.
  expect(await query(server, "{ invoices { userGroup { name } } }", `Token ${strangerKey}`)).toMatchObject({
    data: { invoices: [{ userGroup: null }, { userGroup: null }] },
  });
  expect(await query(server, "{ invoices { userGroup { name } } }", "")).toMatchObject({
    errors: [{ extensions: { code: "UNAUTHENTICATED" } }],
  });
});

test("a page reads its group across a supergraph that is keyed by external ID", async () => {
  const { token } = await createUserGroup(graphql(), "paged", { mapping: [entry("a", "sales")] });
  const server = await startSupergraph();
  const own = "{ viewer { userGroup { name invoices mapping { dataSource { providedId price } } } } }";
  expect(await query(server, own, `Bearer ${token}`)).toEqual({
    data: {
      viewer: {
        userGroup: {
          name: "paged",
          invoices: 5,
          mapping: [{ dataSource: { providedId: "sales", price: 7 } }],
        },
      },
    },
  });
});

test("other subgraphs may have types and root fields with common names", async () => {
  const { keys } = graphql();
  await createUserGroup(graphql(), "composed-too", { properties: { color: "red" } });
  const server = await startSupergraph();
  const across = `query ($order: UserGroupOrder, $by: OrderDirection) {
    userGroups(first: 1, orderBy: $order, filter: { providedIds: ["composed-too"] }) {
      nodes { properties createdAt tickets(by: $by) { by nodes { id environment } pageInfo { hasNextPage endCursor } } }
      pageInfo { hasNextPage endCursor }
    }
    node(id: "1") { id environment }
    groupsWithTickets { name }
    viewer { accountName }
  }`;
  const variables = { order: { field: "NAME" }, by: "descending" };
  expect(await query(server, across, `Token ${keys.admin}`, variables)).toMatchObject({
    data: {
      userGroups: {
        nodes: [
          {
            properties: { color: "red" },
            tickets: { by: "descending", nodes: [{ environment: "STAGING" }], pageInfo: { endCursor: null } },
          },
        ],
        pageInfo: { hasNextPage: false, endCursor: expect.any(String) },
      },
      node: { id: "1", environment: "STAGING" },
      groupsWithTickets: [{ name: "composed" }],
      viewer: { accountName: expect.any(String) },
    },
  });
});
