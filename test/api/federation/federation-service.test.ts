import { buildASTSchema, parse } from "graphql";
import { describe, expect, test } from "vitest";
import { printSubgraphSdl } from "../../../src/graphql/server/federation/subgraph-schema.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";

const graphql = useGraphql({ subgraph: true });

describe("_service", () => {
  test("costs the length of the SDL", async () => {
    const cost = 20 * Math.ceil(printSubgraphSdl().length / 1024);
    const fitting = Math.floor(24_998 / cost);
    const query = (count: number) =>
      `{ _service { ${Array.from({ length: count }, (_, index) => `a${index}: sdl`).join(" ")} } }`;
    expect(await graphql().call(query(fitting))).toMatchObject({ status: 200 });
    expect(await graphql().call(query(fitting + 1))).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            extensions: {
              code: "QUERY_TOO_EXPENSIVE",
              limit: 25_000,
              actual: 1 + (fitting + 1) * cost,
            },
          },
        ],
      },
    });
  });

  test("offers user groups, data sources, the viewer and their mutations only", () => {
    // schema-subgraph.graphql is what is served: federation.test.ts.
    const schema = buildASTSchema(parse(printSubgraphSdl()), { assumeValidSDL: true });
    const foreign = /ApiKey|Audit|Webhook|^Site|^DateTimeRange$|^Environment$|^Node$|^OrderDirection$/;
    expect(Object.keys(schema.getTypeMap()).filter((name) => foreign.test(name))).toEqual([]);
    expect(Object.keys(schema.getQueryType()?.getFields() ?? {})).toEqual([
      "dataSource",
      "dataSources",
      "userGroup",
      "userGroups",
      "viewer",
    ]);
  });

  test("leaves the other fields on the endpoint, where the console needs them", async () => {
    const data = await graphql().run(
      "{ viewer { environment apiKey { name } } apiKeys { totalCount } siteConfigs { totalCount } }",
    );
    expect(data).toMatchObject({ viewer: { environment: "CUSTOMER" }, siteConfigs: { totalCount: 0 } });
  });

  test("ignores requests for traces", async () => {
    const { keys, service } = graphql();
    for (const authorization of [undefined, `Token ${keys.admin}`]) {
      const reply = await fetch(`${service.url}/graphql?query={viewer{accountName}}`, {
        headers: {
          "apollo-federation-include-trace": "ftv1",
          "apollo-require-preflight": "true",
          ...(authorization ? { authorization } : {}),
        },
      });
      expect(Object.keys(Object(await reply.json()))).toEqual(["data"]);
    }
    expect(service.log.filter((line) => /trac(?:e|ing)/i.test(line))).toEqual([]);
  });
});

describe("without the setting", () => {
  const plain = useGraphql();

  test("there are no fields for routers", async () => {
    for (const query of ["{ _service { sdl } }", "{ _entities(representations: []) { __typename } }"]) {
      expect((await plain().call(query)).body).toMatchObject({
        errors: [{ extensions: { code: "GRAPHQL_VALIDATION_FAILED" } }],
      });
    }
  });
});
