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
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = useGraphql({ subgraph: true });

/** A second subgraph: invoices of user groups, and dashboards of sites. */
const BILLING = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.4", import: ["@key", "@shareable"])
  type UserGroup @key(fields: "providedId") { providedId: String! invoices: Int! }
  type DataSource @key(fields: "id") { id: ID! price: Int! }
  type SiteConfig @key(fields: "site") { site: String! visits: Int! }
  type PageInfo @shareable { hasNextPage: Boolean! }
  type Invoice { id: ID! userGroup: UserGroup site: SiteConfig }
  type Query { invoices: [Invoice!]! }
`);
const billing = buildSubgraphSchema([
  {
    typeDefs: BILLING,
    resolvers: {
      UserGroup: { invoices: ({ providedId }: Data) => providedId.length },
      DataSource: { price: () => 7 },
      SiteConfig: { visits: () => 3 },
      Query: {
        invoices: () =>
          ["composed", "absent"].map((providedId) => ({
            id: providedId,
            userGroup: { providedId },
            site: { site: "composed-site" },
          })),
      },
    },
  },
]);

/** Composes both subgraphs; requests to the service carry the client's Authorization header. */
async function startSupergraph(): Promise<ApolloServer<{ authorization: string }>> {
  const url = `${graphql().service.url}/graphql`;
  const { body } = await graphql().call("{ _service { sdl } }", {}, null);
  const { sdl } = Object(body).data._service;
  const server = new ApolloServer<{ authorization: string }>({
    gateway: new ApolloGateway({
      supergraphSdl: new LocalCompose({
        localServiceList: [
          { name: "user-groups", url, typeDefs: parse(sdl) },
          { name: "billing", url: "http://billing.invalid", typeDefs: BILLING },
        ],
      }),
      buildService: ({ name }) =>
        name === "billing"
          ? new LocalGraphQLDataSource(billing)
          : new RemoteGraphQLDataSource({
              url,
              willSendRequest({ request, context }) {
                const { authorization } = Object(context);
                if (authorization) request.http?.headers.set("authorization", authorization);
              },
            }),
    }),
  });
  onTestFinished(() => server.stop());
  return server;
}

async function query(
  server: ApolloServer<{ authorization: string }>,
  text: string,
  key: string,
): Promise<Data> {
  const reply = await server.executeOperation(
    { query: text },
    { contextValue: { authorization: key === "" ? "" : `Token ${key}` } },
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

test("a supergraph of two subgraphs answers across both, with the caller's credentials", async () => {
  const { keys, strangerKey } = graphql();
  await createUserGroup(graphql(), "composed", { mapping: [entry("a", "sales")] });
  await changeSite(graphql(), "put", { site: "composed-site", document: goodSite });
  const server = await startSupergraph();
  const across = `{
    userGroup(by: { providedId: "composed" }) { name invoices mapping { dataSource { name price } } }
    invoices { id userGroup { name } site { visits } }
  }`;
  expect(await query(server, across, keys.admin)).toMatchObject({
    data: {
      userGroup: {
        name: "composed",
        invoices: 8,
        mapping: [{ dataSource: { name: "Sales database", price: 7 } }],
      },
      invoices: [
        { id: "composed", userGroup: { name: "composed" }, site: { visits: 3 } },
        { id: "absent", userGroup: null, site: { visits: 3 } },
      ],
    },
  });
  // Neither another account nor a caller without credentials learns what exists.
  expect(await query(server, "{ invoices { userGroup { name } } }", strangerKey)).toMatchObject({
    data: { invoices: [{ userGroup: null }, { userGroup: null }] },
  });
  expect(await query(server, "{ invoices { userGroup { name } } }", "")).toMatchObject({
    errors: [{ extensions: { code: "UNAUTHENTICATED" } }],
  });
});
