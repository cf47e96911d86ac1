import { describe, expect, test } from "vitest";
import { printSubgraphSdl } from "../../../src/graphql/server/federation/subgraph-schema.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const ENTITIES = "query ($representations: [_Any!]!) { _entities(representations: $representations) ";
const NAMES = `${ENTITIES} { __typename ... on UserGroup { name } ... on DataSource { name } ... on SiteConfig { site } } }`;

const graphql = useGraphql({ subgraph: true, limits: { cost: 6000 } });
const entities = async (representations: readonly unknown[], key?: string | null, query = NAMES) =>
  Object((await graphql().call(query, { representations }, key)).body);

describe("_entities", () => {
  test("loads each type by each of its keys, with one statement per type and key", async () => {
    const { run, service } = graphql();
    const [one, two] = [await createUserGroup(graphql(), "one"), await createUserGroup(graphql(), "two")];
    const { dataSources } = await run("{ dataSources(first: 2) { nodes { id providedId name } } }");
    const [source] = dataSources.nodes;
    await changeSite(graphql(), "put", { site: "docs", document: goodSite });
    const representations = [
      { __typename: "UserGroup", id: one.id },
      { __typename: "UserGroup", providedId: "two" },
      { __typename: "UserGroup", id: two.id },
      { __typename: "UserGroup", providedId: "nothing" },
      { __typename: "DataSource", id: source.id },
      { __typename: "DataSource", providedId: source.providedId },
      { __typename: "SiteConfig", site: "docs" },
      { __typename: "SiteConfig", site: "nothing" },
    ];
    const group = (name: string) => ({ __typename: "UserGroup", name });
    const expected = {
      data: {
        _entities: [
          group("one"),
          group("two"),
          group("two"),
          null,
          { __typename: "DataSource", name: source.name },
          { __typename: "DataSource", name: source.name },
          { __typename: "SiteConfig", site: "docs" },
          null,
        ],
      },
    };
    expect(await entities(representations)).toEqual(expected);
    service.statements.length = 0;
    // Compiled as well as interpreted.
    expect(await entities(representations)).toEqual(expected);
    const reads = service.statements.filter((text) =>
      /FROM "?(?:user_group|data_source|site_config)\b/.test(text),
    );
    expect(reads.length).toBeLessThanOrEqual(5);
  });

  test("returns null for IDs of other accounts and environments, other types and malformed ones", async () => {
    const { keys, strangerKey } = graphql();
    const { id } = await createUserGroup(graphql(), "private");
    const representations = [
      { __typename: "UserGroup", id },
      { __typename: "UserGroup", providedId: "private" },
      { __typename: "DataSource", id },
      { __typename: "UserGroup", id: "?" },
    ];
    const data = { _entities: [null, null, null, null] };
    expect(await entities(representations, strangerKey)).toEqual({ data });
    expect(await entities(representations, keys.testing)).toEqual({ data });
    expect(await entities(representations.slice(2))).toEqual({ data: { _entities: [null, null] } });
  });

  test.each([
    [
      "no type",
      {},
      "representations.0 must have a `__typename` that is one of UserGroup, DataSource, SiteConfig.",
    ],
    [
      "another type",
      { __typename: "ApiKey", id: "x" },
      "representations.0 must have a `__typename` that is one of UserGroup, DataSource, SiteConfig.",
    ],
    [
      "an inherited property",
      { __typename: "constructor" },
      "representations.0 must have a `__typename` that is one of UserGroup, DataSource, SiteConfig.",
    ],
    [
      "no key",
      { __typename: "UserGroup" },
      "representations.0 must have the field `id` or `providedId` as a string.",
    ],
    [
      "a key of another type",
      { __typename: "SiteConfig", site: 1 },
      "representations.0 must have the field `site` as a string.",
    ],
    [
      "a key that is too long",
      { __typename: "UserGroup", providedId: "x".repeat(256) },
      expect.stringContaining("representations.0.providedId must"),
    ],
    [
      "text",
      "UserGroup",
      "representations.0 must have a `__typename` that is one of UserGroup, DataSource, SiteConfig.",
    ],
  ])("rejects a representation with %s", async (_, representation, message) => {
    expect(await entities([representation])).toMatchObject({
      errors: [{ message, extensions: { code: "INVALID_FIELD" } }],
    });
  });

  test("requires an API key; the SDL does not", async () => {
    const { token } = await createUserGroup(graphql(), "front");
    const { call, service } = graphql();
    const representations = [{ __typename: "UserGroup", providedId: "front" }];
    expect(await entities(representations, null)).toMatchObject({
      errors: [{ extensions: { code: "UNAUTHENTICATED" } }],
    });
    const reply = await fetch(`${service.url}/graphql`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ query: NAMES, variables: { representations } }),
    });
    expect(await reply.json()).toMatchObject({ errors: [{ extensions: { code: "FORBIDDEN" } }] });
    const { body } = await call("{ _service { sdl } }", {}, null);
    expect(body).toEqual({ data: { _service: { sdl: printSubgraphSdl() } } });
  });

  test("limits the representations, which count in the cost", async () => {
    const many = (count: number) =>
      Array.from({ length: count }, () => ({ __typename: "UserGroup", id: "x" }));
    const all = await entities(many(1000));
    expect(all.data._entities).toHaveLength(1000);
    expect(await entities(many(1001))).toMatchObject({
      errors: [
        { message: "representations must have at most 1000 items.", extensions: { code: "INVALID_FIELD" } },
      ],
    });
    const wide = `${ENTITIES} { ... on UserGroup { a: name b: name c: name d: name e: name f: name g: name } } }`;
    expect(await entities(many(1000), undefined, wide)).toMatchObject({
      errors: [{ extensions: { code: "QUERY_TOO_EXPENSIVE", limit: 6000, actual: 7001 } }],
    });
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
