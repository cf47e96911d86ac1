import { ApolloServer } from "@apollo/server";
import { afterEach, beforeEach, describe, expect, inject, type MockInstance, test, vi } from "vitest";
import { refused } from "../../support/graphql/graphql-client.js";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";
import type { RestReply } from "../../support/rest/rest-client.js";
import { mistyped } from "../../support/secrets/secret-search.js";

const graphql = await startGraphql({ rateLimits: { maxCost: 10_000 } });
const { front, keys, service, strangerKey } = graphql;
const ONE = `query One($by: UserGroupBy!) {
  userGroup(by: $by) { id name properties version createdAt mapping { schemaId dataSource { providedId } } }
}`;
const by = { providedId: "acme" };

let apollo: MockInstance;
beforeEach(() => {
  apollo = vi.spyOn(ApolloServer.prototype, "executeHTTPGraphQLRequest");
});
afterEach(() => apollo.mockRestore());

async function send(body: object, headers: Record<string, string> = {}, key?: string | null) {
  return graphql.send(body, key, headers);
}

/** Expects that Apollo Server is called this often. @returns the reply */
async function expectApollo(calls: number, request: () => Promise<RestReply>): Promise<RestReply> {
  const before = apollo.mock.calls.length;
  const reply = await request();
  expect(apollo.mock.calls.length - before).toBe(calls);
  return reply;
}

/** The parts of two replies to one request that must be equal. */
function comparable({ status, body, headers }: RestReply): object {
  const same = Object.entries(headers).filter(([name]) => !/^(?:date|x-request-id|ratelimit.*)$/.test(name));
  const text = JSON.stringify(body).replaceAll(String(headers["x-request-id"]), "ID");
  return { status, body: JSON.parse(text), headers: Object.fromEntries(same) };
}

// The fast path is off when all optimisations are off.
describe.runIf(inject("isFast"))("the fast path answers repeated operations as Apollo Server does:", () => {
  test.each<[string, object, Record<string, string>?]>([
    ["a query with variables", { query: ONE, variables: { by } }],
    ["one without", { query: "{ dataSources { nodes { providedId } } }" }],
    [
      "a query with null variables",
      { query: "{ viewer { environment } }", variables: null, operationName: null },
    ],
    ["a named query", { query: "query Name { viewer { accountName } }", operationName: "Name" }],
    ["a missing object", { query: ONE, variables: { by: { providedId: "none" } } }],
    ["introspection", { query: '{ __type(name: "UserGroup") { name fields { name } } }' }],
    [
      "a mutation that changes nothing",
      {
        query: `mutation { updateUserGroup(input: { by: { providedId: "none" }, name: "x" }) { userErrors { code field } } }`,
      },
    ],
    [
      "a client that accepts any media type",
      { query: "{ viewer { accountName environment } }" },
      { accept: "*/*" },
    ],
    [
      "a client that accepts GraphQL's media type",
      { query: "{ viewer { environment } }" },
      {
        accept: "application/graphql-response+json, application/json;q=0.9",
      },
    ],
  ])("%s", async (_, body, headers = {}) => {
    await createUserGroup(graphql, "acme", { mapping: [entry("a", "sales")] }).catch(() => undefined);
    const first = await send(body, headers);
    expect(first.status).toBe(200);
    const second = await expectApollo(0, () => send(body, headers));
    expect(comparable(second)).toEqual(comparable(first));
    expect(second.headers["x-request-id"]).not.toBe(first.headers["x-request-id"]);
    // Again: the media type for an Accept header is cached on first use.
    await expectApollo(0, () => send(body, headers));
  });

  test("the front end's group", async () => {
    const { token } = await createUserGroup(graphql, "front");
    const viewer = () => front(token, "{ viewer { userGroup { name } } }");
    const first = await viewer();
    expect(comparable(await expectApollo(0, viewer))).toEqual(comparable(first));
    expect(first.body).toEqual({ data: { viewer: { userGroup: { name: "front" } } } });
  });

  test("several root fields, and each operation of a document by name", async () => {
    const query =
      "query A { a: viewer { environment } b: viewer { environment } } query B { viewer { accountName } }";
    for (const operationName of ["A", "B"]) {
      const request = () => send({ query, operationName });
      const first = await request();
      expect(first.status).toBe(200);
      expect(comparable(await expectApollo(0, request))).toEqual(comparable(first));
    }
  });

  test("not for documents of requests without credentials", async () => {
    const anonymous = () => send({ query: "{ viewer { __typename } }" }, {}, null);
    await anonymous();
    const reply = await expectApollo(1, anonymous);
    expect(reply).toMatchObject({ status: 200, body: { data: { viewer: null } } });
  });
});

describe("the fast path rejects what Apollo Server rejects:", () => {
  test.each<[string, object, number]>([
    ["invalid variables", { by: { providedId: 1 } }, 200],
    ["a missing variable", {}, 200],
    ["two identifiers at once", { by: { providedId: "a", id: "b" } }, 200],
    ["a list for one identifier", { by: [] }, 200],
  ])("%s", async (_, variables, status) => {
    await send({ query: ONE, variables: { by } });
    const known = await send({ query: ONE, variables });
    const unknown = await send({ query: `${ONE} # ${Math.random()}`, variables });
    expect(known.status).toBe(status);
    expect(comparable(known)).toEqual(comparable(unknown));
    expect(Object(known.body).errors).toHaveLength(1);
  });

  test("other keys, unknown keys and front ends", async () => {
    const { token } = await createUserGroup(graphql, "asks");
    const body = { query: ONE, variables: { by: { providedId: "asks" } } };
    await send(body);
    expect(await send(body, {}, strangerKey)).toMatchObject({
      body: { data: { userGroup: null } },
    });
    const unknown = await send(body, {}, mistyped(keys.admin));
    expect(unknown).toMatchObject(refused(401, "UNAUTHENTICATED"));
    const closed = await front(token, body.query, body.variables);
    expect(Object(closed.body).errors).toMatchObject([{ extensions: { code: "FORBIDDEN" } }]);
  });

  test("other operation names, extensions and kinds of request", async () => {
    const query = "query A { viewer { environment } }";
    await send({ query });
    const named = await send({ query, operationName: "B" });
    expect(Object(named.body).errors).toHaveLength(1);
    const hash = await send({
      query,
      extensions: { persistedQuery: { version: 1, sha256Hash: "0".repeat(64) } },
    });
    expect(Object(hash.body).errors).toHaveLength(1);
    const accept = await send({ query }, { accept: "text/html" });
    expect(accept.status).toBe(406);
  });
});

test("a failing operation runs once, is logged once and costs one request", async () => {
  const query = `mutation Create($input: CreateUserGroupInput!) {
    createUserGroup(input: $input) { userGroup { name mapping { schemaId } } userErrors { code } }
  }`;
  const create = async (providedId: string) =>
    send({ query, variables: { input: { providedId, name: "x" } } });
  const left = ({ headers }: RestReply) => Number(headers["ratelimit-remaining"]);
  const good = await create("good");
  expect(Object(good.body).errors).toBeUndefined();
  await service.query("ALTER TABLE mapping_entry RENAME COLUMN schema_id TO gone");
  service.log.length = 0;
  const bad = await create("bad");
  await service.query("ALTER TABLE mapping_entry RENAME COLUMN gone TO schema_id");
  expect(bad.body).toMatchObject({ errors: [{ extensions: { code: "INTERNAL" } }] });
  expect(left(good) - left(bad)).toBe(1);
  expect(service.log.filter((line) => line.includes("request failed"))).toHaveLength(1);
  const entries: Data[] = await service.query(
    `SELECT FROM audit_entry JOIN user_group USING (account_id)
      WHERE subject_id = user_group.id AND provided_id = 'bad' AND action = 'user_group.created'`,
  );
  expect(entries).toHaveLength(1);
});
