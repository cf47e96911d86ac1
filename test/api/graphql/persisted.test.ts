import { createHash, randomUUID } from "node:crypto";
import { getIntrospectionQuery } from "graphql";
import { describe, expect, test } from "vitest";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest, type RestReply } from "../../support/rest/rest-client.js";

const VIEWER = "query Viewer { viewer { environment } }";
const ANSWER = { status: 200, body: { data: { viewer: { environment: "CUSTOMER" } } } };
const NOT_FOUND = { errors: [{ extensions: { code: "PERSISTED_QUERY_NOT_FOUND" } }] };
const PREFLIGHT = { "apollo-require-preflight": "true" };

const MIXED = `query Viewer { viewer { environment } }
query Groups($first: Int!) { userGroups(first: $first) { nodes { name } } }
mutation Make { createDataSource(input: { providedId: "made", name: "Made" }) { dataSource { name } } }`;
const COSTLY = `query Costly($first: Int!) {
  dataSources(first: $first) { nodes { userGroups(first: 100) { nodes { id name } } } }
}`;
const TRUSTED = { [sha256(MIXED)]: MIXED, d0fd64ec1a7c6a2f: VIEWER, costly: COSTLY };

const open = await startGraphql();
const { keys } = open;
const trusting = await startGraphql({ persistedQueries: TRUSTED });

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

const persisted = (hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: hash } } });

async function get(
  graphql: typeof open,
  { extensions, ...parameters }: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = PREFLIGHT,
): Promise<RestReply> {
  const { service, keys } = graphql;
  const sent = { ...parameters, ...(extensions ? { extensions: JSON.stringify(extensions) } : {}) };
  const texts = Object.entries(sent).map(([name, value]) => [name, String(value)]);
  const search = new URLSearchParams(Object.fromEntries(texts));
  return callRest(`${service.url}/graphql?${search}`, "GET", keys.admin, undefined, headers);
}

describe("automatic persisted queries", () => {
  test("a hash runs once its text has been sent", async () => {
    const query = `# ${randomUUID()}\n${VIEWER}`;
    const hash = sha256(query);
    expect((await open.send(persisted(hash))).body).toMatchObject(NOT_FOUND);
    expect(await open.send({ query, ...persisted(hash) })).toMatchObject(ANSWER);
    expect(await open.send(persisted(hash))).toMatchObject(ANSWER);
    expect(await get(open, persisted(hash))).toMatchObject(ANSWER);
  });

  test("rejects and does not store a hash of another text", async () => {
    const hash = sha256(randomUUID());
    expect(await open.send({ query: VIEWER, ...persisted(hash) })).toMatchObject({
      status: 400,
      body: {
        errors: [{ message: "provided sha does not match query", extensions: { code: "BAD_REQUEST" } }],
      },
    });
    expect((await open.send(persisted(hash))).body).toMatchObject(NOT_FOUND);
  });

  test("does not store a query that exceeds a limit", async () => {
    const query = `{ viewer { ${Array.from({ length: 61 }, (_, index) => `a${index}: environment`).join(" ")} } } # ${keys.admin}`;
    expect((await open.send({ query, ...persisted(sha256(query)) })).status).toBe(400);
    expect((await open.send(persisted(sha256(query)))).body).toMatchObject(NOT_FOUND);
  });

  test("evicts the oldest to bound memory", async () => {
    const size = 1_000_000;
    const queries = Array.from({ length: 34 }, () => `${VIEWER} # ${randomUUID()} ${"x".repeat(size)}`);
    for (const query of queries) {
      expect((await open.send({ query, ...persisted(sha256(query)) })).status).toBe(200);
    }
    const [oldest = "", newest = ""] = [queries.at(0), queries.at(-1)];
    expect((await open.send(persisted(sha256(oldest)))).body).toMatchObject(NOT_FOUND);
    expect(await open.send(persisted(sha256(newest)))).toMatchObject(ANSWER);
  });
});

describe("persisted queries", () => {
  const refused = {
    status: 400,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: {
      errors: [
        {
          message: "The query is not on the service's allow-list. Send a persisted query that is.",
          extensions: { code: "QUERY_NOT_ALLOWED", requestId: expect.any(String) },
        },
      ],
    },
  };

  test("run by ID, however it is sent", async () => {
    for (const [id, text] of Object.entries(TRUSTED).slice(0, 2)) {
      for (const named of [
        { documentId: id },
        { documentId: `sha256:${id}` },
        persisted(id),
        { query: text },
      ]) {
        expect(await trusting.send({ ...named, operationName: "Viewer" })).toMatchObject(ANSWER);
        expect(await get(trusting, { ...named, operationName: "Viewer" })).toMatchObject(ANSWER);
      }
      // As sent by clients that do both.
      expect(await trusting.send({ query: text, ...persisted(id), operationName: "Viewer" })).toMatchObject(
        ANSWER,
      );
      expect(await trusting.send({ query: "", documentId: id, operationName: "Viewer" })).toMatchObject(
        ANSWER,
      );
    }
  });

  test("run with variables and under the limits", async () => {
    const { extensions } = persisted(sha256(MIXED));
    expect(
      await trusting.send({ extensions, operationName: "Groups", variables: { first: 2 } }),
    ).toMatchObject({ status: 200, body: { data: { userGroups: { nodes: [] } } } });
    expect((await trusting.send({ documentId: "costly", variables: { first: 123 } })).status).toBe(200);
    expect(await trusting.send({ documentId: "costly", variables: { first: 124 } })).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: "QUERY_TOO_EXPENSIVE", actual: 25_050 } }] },
    });
  });

  test("cannot mutate by GET", async () => {
    const mutation = { documentId: sha256(MIXED), operationName: "Make" };
    expect((await get(trusting, mutation)).status).toBe(405);
    expect(await trusting.send(mutation)).toMatchObject({
      body: { data: { createDataSource: { dataSource: { name: "Made" } } } },
    });
  });

  test.each([
    ["another text", { query: "{ viewer { accountName } }" }],
    ["a text that differs slightly", { query: `${VIEWER} ` }],
    ["a text that does not parse", { query: "{" }],
    ["introspection", { query: getIntrospectionQuery() }],
    ["a text with the id of another", { query: "{ __typename }", documentId: "costly" }],
    ["a text with its hash", { query: "{ __typename }", ...persisted(sha256("{ __typename }")) }],
    ["an unknown id", { documentId: "unknown" }],
    ["an unknown hash", persisted(sha256("unknown"))],
    ["a property of every object", { documentId: "constructor" }],
    ["an id that is not a string", { documentId: { costly: true } }],
    ["an unknown operation", { operationName: "Viewer" }],
  ])("are the only ones that run: %s is rejected", async (_, request) => {
    expect(await trusting.send(request)).toMatchObject(refused);
    expect(await get(trusting, request)).toMatchObject(refused);
  });

  test("are not registered by clients", async () => {
    const query = "query Mine { viewer { accountName } }";
    for (const request of [{ query, ...persisted(sha256(query)) }, persisted(sha256(query)), { query }]) {
      expect(await trusting.send(request)).toMatchObject(refused);
    }
  });

  test("need credentials like other operations", async () => {
    expect((await trusting.send({ documentId: "costly" }, "ugk_live_wrong")).status).toBe(401);
  });
});
