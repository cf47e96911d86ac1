import { readFile } from "node:fs/promises";
import { ApolloGateway, LocalCompose, RemoteGraphQLDataSource } from "@apollo/gateway";
import { ApolloServer } from "@apollo/server";
import { ApolloServerPluginInlineTraceDisabled } from "@apollo/server/plugin/disabled";
import { startStandaloneServer } from "@apollo/server/standalone";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { parse } from "graphql";
import { expect, onTestFinished, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { printSubgraphSdl } from "../../src/graphql/server/federation/subgraph-schema.js";
import { createSession, ENCRYPTION_KEY } from "../support/embed/sessions.js";
import { type Data, useGraphql } from "../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../support/graphql/user-group-operations.js";
import { snippetsOf } from "../support/repository/doc-snippets.js";

const graphql = useGraphql({ subgraph: true, encryptionKey: ENCRYPTION_KEY });

function documented(language: string, start: string): string {
  const found = snippetsOf("docs/federation.md").find(
    (snippet) => snippet.language === language && snippet.code.startsWith(start),
  );
  if (!found) throw new Error(`docs/federation.md has no ${language} that starts with ${start}.`);
  return found.code;
}

const PAGE_QUERY = documented("graphql", "{");
const createGateway = new Function(
  "ApolloGateway",
  "RemoteGraphQLDataSource",
  `${documented("js", "import")
    .replace(/^import .*$/m, "")
    .replace("export ", "")}; return createGateway;`,
)(ApolloGateway, RemoteGraphQLDataSource);

/** The subgraph of the guide. */
const BILLING = parse(documented("graphql", "extend schema"));
const invoice = (providedId: string) => ({ id: `invoice of ${providedId}`, userGroup: { providedId } });
const billing = {
  UserGroup: { invoices: ({ providedId }: Data) => [invoice(providedId)] },
  Query: { invoices: () => ["composed", "absent"].map(invoice) },
};

/** A third subgraph with types of its own whose names are common, keyed by the ID that embed sessions contain. */
const SUPPORT = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.4", import: ["@key", "@shareable"])
  scalar DateTime
  scalar JSON
  scalar SafeInt
  type UserGroup @key(fields: "teamId") { teamId: SafeInt! tickets(range: DateTimeRange, by: OrderDirection): TicketConnection! }
  type DataSource @key(fields: "providedId") { providedId: String! price: Int! }
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
    supported(teamIds: [SafeInt!]!): [UserGroup]!
  }
  type Mutation { createApiKey(environment: Environment!): ApiKey }
`);
const ticket = { __typename: "Ticket", id: "1", environment: "STAGING" };
const PAGE = { hasNextPage: false, hasPreviousPage: false };
const support = {
  UserGroup: { tickets: (_: Data, { by }: Data) => ({ nodes: [ticket], pageInfo: PAGE, by }) },
  DataSource: { price: () => 7 },
  Query: {
    node: () => ticket,
    supported: (_: Data, { teamIds }: Data) => teamIds.map((teamId: number) => ({ teamId })),
  },
};

async function startSubgraph(typeDefs: typeof BILLING, resolvers: Data): Promise<string> {
  const schema = buildSubgraphSchema([{ typeDefs, resolvers }]);
  const server = new ApolloServer({ schema, plugins: [ApolloServerPluginInlineTraceDisabled()] });
  const { url } = await startStandaloneServer(server, { listen: { host: "127.0.0.1", port: 0 } });
  onTestFinished(() => server.stop());
  return url;
}

/** Composes the subgraphs. @returns a function that sends a query as a client with the Authorization header */
async function startSupergraph() {
  const { body } = await graphql().call("{ _service { sdl } }");
  const localServiceList = [
    {
      name: "user-groups",
      url: `${graphql().service.url}/graphql`,
      typeDefs: parse(Object(body).data._service.sdl),
    },
    { name: "billing", url: await startSubgraph(BILLING, billing), typeDefs: BILLING },
    { name: "support", url: await startSubgraph(SUPPORT, support), typeDefs: SUPPORT },
  ];
  const gateway = createGateway(new LocalCompose({ localServiceList }));
  const server = new ApolloServer<{ authorization: string }>({ gateway });
  onTestFinished(() => server.stop());
  return async (authorization: string, query: string, variables: Data = {}): Promise<Data> => {
    const reply = await server.executeOperation({ query, variables }, { contextValue: { authorization } });
    const { data, errors }: Data = reply.body.kind === "single" ? reply.body.singleResult : {};
    return { status: reply.http.status ?? 200, data, errors };
  };
}

async function startSession(providedId: string): Promise<string> {
  const { service, keys } = graphql();
  const { token } = await createSession(service, keys.embed, { user_group_id: providedId });
  return `Bearer ${token}`;
}

test("the SDL is committed and served", async () => {
  const committed = await readFile(new URL("../../schema-subgraph.graphql", import.meta.url), "utf8");
  expect(committed).toBe(printSubgraphSdl());
  for (const file of ["schema-subgraph.graphql", "schema.graphql"]) {
    const reply = await fetch(`${graphql().service.url}/${file}`);
    expect(reply.headers.get("content-type")).toBe("application/graphql; charset=utf-8");
    expect(await reply.text()).toBe(await readFile(new URL(`../../${file}`, import.meta.url), "utf8"));
  }
});

test("the guide names the same subgraphs to rover, to the gateway and to the router", () => {
  const { subgraphs } = parseYaml(documented("yaml", "# supergraph.yaml"));
  const { headers, subscription } = parseYaml(documented("yaml", "# router.yaml"));
  const insert = parseYaml(documented("yaml", "        - insert"));
  expect(Object.keys(subgraphs)).toEqual(["user-groups", "billing"]);
  for (const settings of [headers, subscription.mode.passthrough]) {
    expect(Object.keys(settings.subgraphs)).toEqual(["user-groups"]);
  }
  expect(insert[0].insert.name).toBe(headers.subgraphs["user-groups"].request[0].propagate.named);
});

test("a supergraph answers across its subgraphs, with the caller's credentials", async () => {
  const { keys, strangerKey } = graphql();
  const { teamId } = await createUserGroup(graphql(), "composed", { mapping: [entry("a", "sales")] });
  const query = await startSupergraph();
  const across = `query ($teamIds: [SafeInt!]!) {
    userGroup(by: { providedId: "composed" }) { name invoices { id } mapping { dataSource { name price } } }
    invoices { userGroup { name } }
    supported(teamIds: $teamIds) { name invoices { userGroup { name } } }
  }`;
  const [composed, variables] = [{ name: "composed" }, { teamIds: [teamId, 2 ** 52] }];
  expect(await query(`Token ${keys.admin}`, across, variables)).toEqual({
    status: 200,
    data: {
      userGroup: {
        ...composed,
        invoices: [{ id: "invoice of composed" }],
        mapping: [{ dataSource: { name: "Sales database", price: 7 } }],
      },
      invoices: [{ userGroup: composed }, { userGroup: null }],
      supported: [{ ...composed, invoices: [{ userGroup: composed }] }, null],
    },
  });
  // Neither another account nor a caller without credentials learns what exists.
  expect(await query(`Token ${strangerKey}`, "{ invoices { userGroup { name } } }")).toMatchObject({
    data: { invoices: [{ userGroup: null }, { userGroup: null }] },
  });
  expect(await query("", "{ invoices { userGroup { name } } }")).toMatchObject({
    errors: [{ extensions: { code: "UNAUTHENTICATED" } }],
  });
});

test("a page with an embed session reads its own group across the supergraph, and no other", async () => {
  const mapping = [entry("a", "sales")];
  const { teamId } = await createUserGroup(graphql(), "paged", { mapping });
  const other = await createUserGroup(graphql(), "not paged");
  const [query, session] = [await startSupergraph(), await startSession("paged")];
  const userGroup = { name: "paged", invoices: [{ id: "invoice of paged" }] };
  expect(await query(session, PAGE_QUERY)).toEqual({ status: 200, data: { viewer: { userGroup } } });
  const across = `query ($teamIds: [SafeInt!]!) {
    viewer { userGroup { mapping { dataSource { providedId price } } invoices { userGroup { name } } } }
    invoices { userGroup { name } }
    supported(teamIds: $teamIds) { name }
  }`;
  expect(await query(session, across, { teamIds: [teamId, other.teamId, 2 ** 52] })).toEqual({
    status: 200,
    data: {
      viewer: {
        userGroup: {
          mapping: [{ dataSource: { providedId: "sales", price: 7 } }],
          invoices: [{ userGroup: { name: "paged" } }],
        },
      },
      invoices: [{ userGroup: null }, { userGroup: null }],
      supported: [{ name: "paged" }, null, null],
    },
  });
  expect(await query(session, "{ viewer { userGroup { tickets { by } } } }")).toMatchObject({
    errors: [{ extensions: { code: "FORBIDDEN" } }],
  });
});

test("other subgraphs may have types and root fields with common names", async () => {
  await createUserGroup(graphql(), "composed-too", { properties: { color: "red" } });
  const query = await startSupergraph();
  const across = `query ($order: UserGroupOrder, $by: OrderDirection) {
    userGroups(first: 1, orderBy: $order, filter: { providedIds: ["composed-too"] }) {
      nodes { properties createdAt tickets(by: $by) { by nodes { id environment } pageInfo { hasNextPage endCursor } } }
      pageInfo { hasNextPage endCursor }
    }
    node(id: "1") { id environment }
    viewer { accountName }
  }`;
  const variables = { order: { field: "NAME" }, by: "descending" };
  expect(await query(`Token ${graphql().keys.admin}`, across, variables)).toMatchObject({
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
      viewer: { accountName: expect.any(String) },
    },
  });
});
