import { randomBytes } from "node:crypto";
import { buildASTSchema, parse } from "graphql";
import { describe, expect, test } from "vitest";
import { printSubgraphSdl } from "../../../src/graphql/server/federation/subgraph-schema.js";
import { callGraphql, refused, times } from "../../support/graphql/graphql-client.js";
import { type Data, useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry, USER_GROUP } from "../../support/graphql/user-group-operations.js";
import { startTestService } from "../../support/service/test-service.js";

const ENTITIES = "query ($representations: [_Any!]!) { _entities(representations: $representations) ";
const NAMES = `${ENTITIES} { __typename ... on UserGroup { name } ... on DataSource { name } } }`;

const options = { subgraph: true, encryptionKey: randomBytes(32) };
const graphql = useGraphql(options);
const entities = async (representations: readonly unknown[], key?: string | null, query = NAMES) =>
  Object((await graphql().call(query, { representations }, key)).body);
const many = (count: number, of: (index: number) => object = () => ({ id: "x" })) =>
  Array.from({ length: count }, (_, index) => ({ __typename: "UserGroup", ...of(index) }));
const aliases = (count: number, field: string) => times(count, (index) => `a${index}: ${field}`);

const UNKNOWN_TYPE = " must have a `__typename` that is one of UserGroup, DataSource.";
const CONTRADICTION = " must not have keys of different objects.";
/** Stands for the value of the group `second`. */
const OF_SECOND = Symbol("of second");

const getOrCreate = async (providedId: string): Promise<Data> =>
  (await graphql().mutate("getOrCreateUserGroup", { providedId, name: providedId }, USER_GROUP)).userGroup;

describe("_entities", () => {
  test("loads each type by each of its keys, with one statement per type and key", async () => {
    const { run, service } = graphql();
    const [one, two] = [await createUserGroup(graphql(), "one"), await createUserGroup(graphql(), "two")];
    const { dataSources } = await run("{ dataSources(first: 2) { nodes { id providedId name } } }");
    const [source] = dataSources.nodes;
    const representations = [
      { __typename: "UserGroup", id: one.id },
      { __typename: "UserGroup", providedId: "two" },
      { __typename: "UserGroup", id: two.id },
      { __typename: "UserGroup", teamId: one.teamId },
      { __typename: "UserGroup", id: two.id, providedId: "two", teamId: two.teamId, name: "not a key" },
      { __typename: "UserGroup", id: null, providedId: "nothing" },
      { __typename: "DataSource", id: source.id },
      { __typename: "DataSource", providedId: source.providedId },
    ];
    const group = (name: string) => ({ __typename: "UserGroup", name });
    const expected = {
      data: {
        _entities: [
          group("one"),
          group("two"),
          group("two"),
          group("one"),
          group("two"),
          null,
          { __typename: "DataSource", name: source.name },
          { __typename: "DataSource", name: source.name },
        ],
      },
    };
    expect(await entities(representations)).toEqual(expected);
    service.statements.length = 0;
    // Compiled as well as interpreted.
    expect(await entities(representations)).toEqual(expected);
    const reads = service.statements.filter((text) => /FROM "?(?:user_group|data_source)\b/.test(text));
    expect(reads.length).toBeLessThanOrEqual(4);
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

  const group = (more: object) => ({ __typename: "UserGroup", ...more });
  test.each<[string, unknown, unknown]>([
    ["no type", {}, UNKNOWN_TYPE],
    ["another type", { __typename: "ApiKey", id: "x" }, UNKNOWN_TYPE],
    ["the type of a site configuration", { __typename: "SiteConfig", site: "docs" }, UNKNOWN_TYPE],
    ["an inherited property", { __typename: "constructor" }, UNKNOWN_TYPE],
    ["text", "UserGroup", UNKNOWN_TYPE],
    ["no key", group({ id: null }), " must have the field `id` or `providedId` or `teamId`."],
    ["a key of another JSON type", group({ providedId: 1 }), ".providedId must be a string."],
    ["an ID of another JSON type", { __typename: "DataSource", id: 1 }, ".id must be a string."],
    ["a fraction", group({ teamId: 1.5 }), ".teamId must be a positive integer up to 2^53 - 1."],
    [
      "a key that is too long",
      group({ providedId: "x".repeat(256) }),
      ".providedId must be at most 255 characters long.",
    ],
    [
      "a key that cannot be stored",
      group({ providedId: "\0" }),
      ".providedId must not contain the character U+0000.",
    ],
    ["keys of two groups", group({ providedId: "first", id: OF_SECOND }), CONTRADICTION],
    ["a key and a number of two groups", group({ providedId: "first", teamId: OF_SECOND }), CONTRADICTION],
    ["keys of a group and nothing", group({ id: "?", providedId: "first" }), CONTRADICTION],
    ["a valid key beside an invalid one", group({ providedId: "first", id: 1 }), ".id must be a string."],
  ])(
    "answers a representation with %s with null and an error of its own",
    async (_, representation, message) => {
      const [first, second] = await Promise.all(["first", "second"].map(getOrCreate));
      const fields = Object.entries(Object(representation)).map(([name, value]) => [
        name,
        value === OF_SECOND ? second[name] : value,
      ]);
      const representations = [
        { __typename: "UserGroup", providedId: "first" },
        typeof representation === "string" ? representation : Object.fromEntries(fields),
        { __typename: "UserGroup", id: second.id },
      ];
      expect(await graphql().call(NAMES, { representations })).toMatchObject({
        status: 200,
        body: {
          data: { _entities: [{ name: first.name }, null, { name: second.name }] },
          errors: [
            {
              message: `representations.1${message}`,
              path: ["_entities", 1],
              extensions: { code: "INVALID_FIELD" },
            },
          ],
        },
      });
    },
  );

  test("fails as a whole if the database does not respond, so that routers can retry", async () => {
    const { service, keys } = graphql();
    const slow = await startTestService({ ...options, use: service, lockTimeoutMs: 200 });
    const representations = [{ __typename: "DataSource", providedId: "sales" }, { __typename: "DataSource" }];
    const reply = await service.database.transaction("operator", async (other) => {
      await other.run({ access: "write", text: "LOCK TABLE data_source IN ACCESS EXCLUSIVE MODE" }, []);
      return callGraphql(slow.url, keys.admin, NAMES, { representations });
    });
    await slow.close();
    expect(reply).toMatchObject({ status: 503, body: { data: null, errors: [{ path: ["_entities"] }] } });
  });

  test("requires an API key, like the SDL", async () => {
    const { token } = await createUserGroup(graphql(), "front");
    const { call, keys, front } = graphql();
    const sdl = "{ _service { sdl } }";
    const representations = [{ __typename: "UserGroup", providedId: "front" }];
    // A front end gets no part of such a request.
    for (const query of [`${ENTITIES} { __typename } }`, sdl]) {
      expect(await call(query, { representations }, null)).toMatchObject(refused(401, "UNAUTHENTICATED"));
      const reply = await front(token, query.replace("{ _", "{ viewer { __typename } _"), {
        representations,
      });
      expect(reply).toMatchObject(refused(403, "FORBIDDEN"));
      expect(reply.body).not.toHaveProperty("data");
    }
    const { body } = await call(sdl, {}, keys.read);
    expect(body).toEqual({ data: { _service: { sdl: printSubgraphSdl() } } });
  });

  test("limits the representations, which count in the cost", async () => {
    expect((await entities(many(1000))).data._entities).toHaveLength(1000);
    expect(await entities(many(1001))).toMatchObject({
      errors: [
        { message: "representations must have at most 1000 items.", extensions: { code: "INVALID_FIELD" } },
      ],
    });
    const wide = `${ENTITIES} { ... on UserGroup { ${aliases(55, "name")} } } }`;
    expect(await entities(many(1000), undefined, wide)).toMatchObject({
      errors: [{ extensions: { code: "QUERY_TOO_EXPENSIVE", limit: 25_000, actual: 55_001 } }],
    });
  });

  test("loads 1,000 user groups with their mapping", async () => {
    const userGroups = Array.from({ length: 1000 }, (_, index) => ({
      providedId: `many-${index}`,
      name: `Group ${index}`,
      mapping: [entry("a", "sales"), entry("b", "support")],
    }));
    await graphql().mutate("upsertUserGroups", { userGroups });
    const query = `${ENTITIES} { __typename ... on UserGroup { id teamId providedId name version updatedAt
      mapping { schemaId dataSource { id providedId name createdAt } } } } }`;
    const { data, errors } = await entities(
      many(1000, (index) => ({ providedId: `many-${index}` })),
      undefined,
      query,
    );
    expect(errors).toBeUndefined();
    expect(data._entities.map(({ name }: Data) => name)).toEqual(userGroups.map(({ name }) => name));
    expect(data._entities[999].mapping).toMatchObject([
      { schemaId: "a", dataSource: { providedId: "sales" } },
      { schemaId: "b", dataSource: { providedId: "support" } },
    ]);
  });
});

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
