import { randomBytes } from "node:crypto";
import { buildASTSchema, parse } from "graphql";
import { describe, expect, test } from "vitest";
import { printSubgraphSdl } from "../../../src/graphql/server/federation/subgraph-schema.js";
import { callGraphql, refused, times } from "../../support/graphql/graphql-client.js";
import { type Data, useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";
import { startTestService } from "../../support/service/test-service.js";

const ENTITIES = "query ($representations: [_Any!]!) { _entities(representations: $representations) ";
const NAMES = `${ENTITIES} { __typename ... on UserGroup { name } ... on DataSource { name } } }`;

const options = { subgraph: true, encryptionKey: randomBytes(32) };
const graphql = useGraphql(options);
const entities = async (representations: readonly unknown[], key?: string | null, query = NAMES) =>
  Object((await graphql().call(query, { representations }, key)).body);
const many = (count: number, of: (index: number) => object = () => ({ id: "x" })) =>
  Array.from({ length: count }, (_, index) => group(of(index)));
const aliases = (count: number, field: string) => times(count, (index) => `a${index}: ${field}`);

const group = (more: object) => ({ __typename: "UserGroup", ...more });

const UNKNOWN_TYPE = " must have a `__typename` that is one of UserGroup, DataSource.";
const CONTRADICTION = " must not have keys of different objects.";

describe("_entities", () => {
  test("loads each type by each of its keys, with one statement per type and key", async () => {
    const { run, service } = graphql();
    const [one, two] = [await createUserGroup(graphql(), "one"), await createUserGroup(graphql(), "two")];
    const { dataSources } = await run("{ dataSources(first: 2) { nodes { id providedId name } } }");
    const [source] = dataSources.nodes;
    const representations = [
      group({ id: one.id }),
      group({ providedId: "two" }),
      group({ id: two.id }),
      group({ teamId: one.teamId }),
      group({ id: two.id, providedId: "two", teamId: two.teamId, name: "not a key" }),
      group({ id: null, providedId: "nothing" }),
      { __typename: "DataSource", id: source.id },
      { __typename: "DataSource", providedId: source.providedId },
    ];
    const found = { __typename: "DataSource", name: source.name };
    const groups = ["one", "two", "two", "one", "two"].map((name) => group({ name }));
    const expected = { data: { _entities: [...groups, null, found, found] } };
    expect(await entities(representations)).toEqual(expected);
    service.statements.length = 0;
    // Compiled as well as interpreted.
    expect(await entities(representations)).toEqual(expected);
    const reads = service.statements.filter((text) => /FROM "?(?:user_group|data_source)\b/.test(text));
    expect(reads.length).toBeLessThanOrEqual(4);
  });

  test("returns null for IDs of other accounts and environments, other types and malformed ones", async () => {
    const { keys, strangerKey } = graphql();
    const { id, teamId } = await createUserGroup(graphql(), "private");
    const representations = [
      ...[{ id }, { providedId: "private" }, { teamId }].map(group),
      { __typename: "DataSource", id },
      group({ id: "?" }),
    ];
    const data = { _entities: representations.map(() => null) };
    expect(await entities(representations, strangerKey)).toEqual({ data });
    expect(await entities(representations, keys.testing)).toEqual({ data });
    expect(await entities(representations.slice(3))).toEqual({ data: { _entities: [null, null] } });
  });

  test("answers each invalid representation with null and an error of its own", async () => {
    const first = await createUserGroup(graphql(), "first");
    const second = await createUserGroup(graphql(), "second");
    const invalid: readonly [unknown, string][] = [
      [{}, UNKNOWN_TYPE],
      [{ __typename: "SiteConfig", site: "docs" }, UNKNOWN_TYPE],
      [{ __typename: "constructor" }, UNKNOWN_TYPE],
      ["UserGroup", UNKNOWN_TYPE],
      [group({ id: null }), " must have the field `id` or `providedId` or `teamId`."],
      [group({ providedId: 1 }), ".providedId must be a string."],
      [{ __typename: "DataSource", id: 1 }, ".id must be a string."],
      [group({ teamId: 1.5 }), ".teamId must be a positive integer up to 2^53 - 1."],
      [group({ providedId: "x".repeat(256) }), ".providedId must be at most 255 characters long."],
      [group({ providedId: "\0" }), ".providedId must not contain the character U+0000."],
      [group({ providedId: "first", id: second.id }), CONTRADICTION],
      [group({ providedId: "first", teamId: second.teamId }), CONTRADICTION],
      [group({ providedId: "first", id: "?" }), CONTRADICTION],
      [group({ providedId: "first", id: 1 }), ".id must be a string."],
    ];
    const representations = [group({ id: first.id }), ...invalid.map(([value]) => value), group(second)];
    const { status, body } = await graphql().call(NAMES, { representations });
    const { data, errors } = Object(body);
    expect([status, data._entities]).toMatchObject([
      200,
      [{ name: "first" }, ...invalid.map(() => null), { name: "second" }],
    ]);
    const sorted = errors.toSorted((left: Data, right: Data) => left.path[1] - right.path[1]);
    expect(sorted).toMatchObject(
      invalid.map(([, message], index) => ({
        message: `representations.${index + 1}${message}`,
        path: ["_entities", index + 1],
        extensions: { code: "INVALID_FIELD" },
      })),
    );
  });

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

  test("are for callers with credentials; the SDL requires an API key", async () => {
    const { token } = await createUserGroup(graphql(), "front");
    const { call, keys, front } = graphql();
    const sdl = "{ _service { sdl } }";
    for (const query of ["{ _entities(representations: []) { __typename } }", sdl]) {
      expect(await call(query, {}, null)).toMatchObject(refused(401, "UNAUTHENTICATED"));
    }
    // A front end gets no part of such a request.
    const reply = await front(token, sdl.replace("{", "{ viewer { __typename }"));
    expect(reply).toMatchObject(refused(403, "FORBIDDEN"));
    expect(reply.body).not.toHaveProperty("data");
    const { body } = await call(sdl, {}, keys.read);
    expect(body).toEqual({ data: { _service: { sdl: printSubgraphSdl() } } });
  });

  test("answer a front end with its own group by each key, and do not show which others exist", async () => {
    const mapping = [entry("a", "sales")];
    const own = await createUserGroup(graphql(), "own", { mapping });
    const other = await createUserGroup(graphql(), "other", { mapping });
    const { dataSources } = await graphql().run("{ dataSources(first: 1) { nodes { id } } }");
    const query = `${ENTITIES} { ... on UserGroup { name } } }`;
    const ask = async (...representations: object[]) => {
      const { body } = await graphql().front(own.token, query, { representations });
      const { data, errors } = Object(body);
      return [data._entities, errors?.map(({ path, message }: Data) => `${path}: ${message}`)];
    };
    const keysOf = ({ id, providedId, teamId }: Data) => [{ id }, { providedId }, { teamId }].map(group);
    const found = { name: "own" };
    expect(await ask(...keysOf(own), group({ teamId: own.teamId, providedId: "own" }))).toEqual([
      [found, found, found, found],
      undefined,
    ]);
    const absent = { id: "?", providedId: "absent", teamId: 2 ** 52 };
    for (const { id, providedId, teamId } of [other, absent]) {
      const foreign = [...keysOf({ id, providedId, teamId }), group({ teamId, providedId: "absent" })];
      expect(await ask(...foreign, { __typename: "DataSource", ...dataSources.nodes[0] })).toEqual([
        [null, null, null, null, null],
        undefined,
      ]);
      expect(await ask(group({ id: own.id, providedId }))).toEqual([
        [null],
        [`_entities,0: representations.0${CONTRADICTION}`],
      ]);
    }
    expect(await graphql().front(own.token, `${ENTITIES} { ... on UserGroup { token } } }`)).toMatchObject(
      refused(403, "FORBIDDEN"),
    );
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

  test("loads as many user groups as the guide states", async () => {
    const mapping = [entry("a", "sales"), entry("b", "support")];
    const userGroups = Array.from({ length: 1000 }, (_, index) => {
      const name = `many-${index}`;
      return { providedId: name, name, properties: { index }, mapping };
    });
    await graphql().mutate("upsertUserGroups", { userGroups });
    const query = (more: string) => `${ENTITIES} { __typename ... on UserGroup {
      id teamId providedId name version createdAt updatedAt ${more}
      mapping { schemaId dataSource { __typename id providedId name createdAt } } } } }`;
    for (const [count, more] of [
      [1000, ""],
      [700, "properties"],
    ] as const) {
      const representations = many(count, (index) => ({ providedId: `many-${index}` }));
      const { data, errors } = await entities(representations, undefined, query(more));
      expect(errors).toBeUndefined();
      expect(data._entities).toHaveLength(count);
      expect(data._entities[count - 1]).toMatchObject({
        name: `many-${count - 1}`,
        ...(more && { properties: { index: count - 1 } }),
        mapping: mapping.map(({ schemaId, dataSource: providedId }) => ({
          schemaId,
          dataSource: { providedId },
        })),
      });
    }
  });
});

describe("_service", () => {
  test("costs the length of the SDL", async () => {
    const cost = 20 * Math.ceil(printSubgraphSdl().length / 1024);
    const fitting = Math.floor(24_998 / cost);
    const query = (count: number) => `{ _service { ${aliases(count, "sdl")} } }`;
    expect(await graphql().call(query(fitting))).toMatchObject({ status: 200 });
    const extensions = { code: "QUERY_TOO_EXPENSIVE", limit: 25_000, actual: 1 + (fitting + 1) * cost };
    expect(await graphql().call(query(fitting + 1))).toMatchObject({
      status: 400,
      body: { errors: [{ extensions }] },
    });
  });

  test("offers user groups, data sources, the viewer and their mutations only", () => {
    // schema-subgraph.graphql is what is served: federation.test.ts.
    const schema = buildASTSchema(parse(printSubgraphSdl()), { assumeValidSDL: true });
    const foreign = /ApiKey|Audit|Webhook|^Site|^DateTimeRange$|^Environment$|^Node$|^OrderDirection$/;
    expect(Object.keys(schema.getTypeMap()).filter((name) => foreign.test(name))).toEqual([]);
    const fields = Object.keys(schema.getQueryType()?.getFields() ?? {});
    expect(fields).toEqual(["dataSource", "dataSources", "userGroup", "userGroups", "viewer"]);
  });

  test("leaves the other fields on the endpoint, where the console needs them", async () => {
    const data = await graphql().run(
      "{ viewer { environment apiKey { name } } apiKeys { totalCount } siteConfigs { totalCount } }",
    );
    expect(data).toMatchObject({ viewer: { environment: "CUSTOMER" }, siteConfigs: { totalCount: 0 } });
  });

  test("ignores requests for traces", async () => {
    const { keys, service, send } = graphql();
    for (const key of [null, keys.admin]) {
      const headers = { "apollo-federation-include-trace": "ftv1" };
      const { body } = await send({ query: "{ viewer { accountName } }" }, key, headers);
      expect(Object.keys(Object(body))).toEqual(["data"]);
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
