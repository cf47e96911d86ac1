import { createHash } from "node:crypto";
import { connect } from "node:net";
import { Readable } from "node:stream";
import { request } from "undici";
import { describe, expect, test } from "vitest";
import { INTROSPECTION, refused, times } from "../../support/graphql/graphql-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest, type RestReply } from "../../support/rest/rest-client.js";
import { mistyped } from "../../support/secrets/secret-search.js";
import { metricValue } from "../../support/service/metric-samples.js";

const graphql = await startGraphql();
const { account, call, keys, service, strangerKey } = graphql;
const KIB = 1024;
const PREFLIGHT = { "apollo-require-preflight": "true" };

/** A document with that many tokens that can be run without credentials. */
const tokens = (count: number) => `{ __schema { ${times(count - 5, () => "__typename")} } }`;

/** Sends a document without credentials. */
async function post(query: string | undefined, more: object = {}, accept = "*/*"): Promise<RestReply> {
  return graphql.send({ query, ...more }, null, { accept });
}

async function get(parameters: Readonly<Record<string, string>>): Promise<RestReply> {
  const search = new URLSearchParams(parameters);
  return callRest(`${service.url}/graphql?${search}`, "GET", undefined, undefined, PREFLIGHT);
}

function persistedQuery(query: string) {
  const sha256Hash = createHash("sha256").update(query).digest("hex");
  return { persistedQuery: { version: 1, sha256Hash } };
}

const UNAUTHENTICATED = refused(401, "UNAUTHENTICATED");
const TOO_MANY_TOKENS = refused(400, "TOO_MANY_TOKENS", { limit: 500, actual: 501 });

describe("a document without credentials", () => {
  test("can have slightly more tokens than introspection", async () => {
    expect((await post(INTROSPECTION)).body).toMatchObject({
      data: { __schema: { types: expect.anything() } },
    });
    expect((await post(tokens(500))).body).toEqual({ data: { __schema: { __typename: "__Schema" } } });
  });

  test("is rejected above the token limit by POST, GET, persisted query and event stream", async () => {
    const query = tokens(501);
    expect(await post(query)).toMatchObject(TOO_MANY_TOKENS);
    expect(await get({ query })).toMatchObject(TOO_MANY_TOKENS);
    const extensions = persistedQuery(query);
    expect((await graphql.send({ query, extensions })).status).toBe(200);
    expect(await post(undefined, { extensions })).toMatchObject(TOO_MANY_TOKENS);
    expect(await get({ extensions: JSON.stringify(extensions) })).toMatchObject(TOO_MANY_TOKENS);
    const subscription = `subscription { userGroupChanged { ${times(495, () => "kind")} } }`;
    expect(await post(subscription, {}, "text/event-stream")).toMatchObject(TOO_MANY_TOKENS);
  });

  test.each([
    ["a query", "{ userGroups { nodes { name } } }"],
    ["a field next to a public one", "{ viewer { environment } userGroups { totalCount } }"],
    [
      "a field in a fragment",
      "{ ...F } fragment F on Query { ... { ...G } } fragment G on Query { node(id: 1) { id } }",
    ],
    ["another operation of the document", "query A { __typename } query B { apiKeys { totalCount } }"],
    ["a mutation", 'mutation { rotateUserGroupToken(input: { by: { token: "x" } }) { userGroup { id } } }'],
    ["an invalid document, without details", "{ userGroupz { nodes { name } } }"],
    ["circular fragments", "{ ...F } fragment F on Query { ...G } fragment G on Query { ...F nothing }"],
  ])("that needs a key is rejected before validation: %s", async (_, query) => {
    expect(await post(query)).toMatchObject({
      ...UNAUTHENTICATED,
      headers: { "www-authenticate": 'Token realm="user-groups", Bearer realm="user-groups"' },
    });
    expect((await post(query)).body).not.toHaveProperty("data");
  });

  test("is rejected although it has been run with a key", async () => {
    const query = "{ dataSources { nodes { name } } }";
    for (let run = 0; run < 3; run += 1) expect((await call(query)).status).toBe(200);
    expect(await post(query)).toMatchObject(UNAUTHENTICATED);
  });

  test("can read the schema, its own type and the viewer, which is null", async () => {
    const query =
      '{ __typename viewer { environment } __type(name: "Viewer") { fields { name type { ofType { name } } } } }';
    expect((await post(query)).body).toMatchObject({
      data: { __typename: "Query", viewer: null, __type: { fields: expect.anything() } },
    });
    expect(await post("{ __schema { nothing } }")).toMatchObject(refused(200, "GRAPHQL_VALIDATION_FAILED"));
    expect(await post("{ ...F } fragment F on Query { ...F }")).toMatchObject(
      refused(200, "GRAPHQL_VALIDATION_FAILED"),
    );
  });

  test("cannot multiply introspection results", async () => {
    const nested =
      "{ __schema { types { fields { type { ...T } } } } } fragment T on __Type { possibleTypes { name } }";
    expect(await post(nested)).toMatchObject(refused(400, "QUERY_TOO_DEEP", { limit: 1, actual: 2 }));
    expect((await call(nested)).status).toBe(200);
    const aliased = `{ __schema { types { ${times(20, (index) => `a${index}: fields { name }`)} } } }`;
    expect(await post(aliased)).toMatchObject(refused(400, "QUERY_TOO_EXPENSIVE", { limit: 1000 }));
    expect((await call(aliased)).status).toBe(200);
  });

  test("cannot subscribe", async () => {
    const query = 'subscription { userGroupChanged(by: { providedId: "x" }) { kind } }';
    expect(await post(query, {}, "text/event-stream")).toMatchObject(UNAUTHENTICATED);
  });
});

describe("a body without valid credentials", () => {
  const TOO_LARGE = refused(413, "PAYLOAD_TOO_LARGE", { limit: 64 * KIB });
  const body = (size: number) => {
    const [start, end] = ['{"query":"{__typename}#', '"}'];
    return `${start}${"x".repeat(size - start.length - end.length)}${end}`;
  };

  async function send(text: string, headers: Readonly<Record<string, string>> = {}, chunked = false) {
    const chunks = chunked ? Readable.from(text.match(/.{1,8192}/g) ?? []) : text;
    const reply = await request(`${service.url}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: chunks,
    });
    return { status: reply.statusCode, headers: reply.headers, body: JSON.parse(await reply.body.text()) };
  }

  test.each([false, true])("is limited to 64 KiB; chunked: %s", async (chunked) => {
    expect(await send(body(64 * KIB), {}, chunked)).toMatchObject({ status: 200 });
    const reply = await send(body(64 * KIB + 1), {}, chunked);
    expect(reply).toMatchObject({ ...TOO_LARGE, headers: { connection: "close" } });
    expect(await send(body(64 * KIB + 1), { accept: "text/event-stream" }, chunked)).toMatchObject(TOO_LARGE);
  });

  test("is rejected before the rest arrives", async () => {
    const open = async (authorization?: string) => {
      const endless = new Readable({ read: () => undefined });
      endless.push(body(1000));
      const reply = await request(`${service.url}/graphql`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "content-length": String(4 * KIB * KIB),
          ...(authorization === undefined ? {} : { authorization }),
        },
        body: endless,
      });
      const text = await reply.body.text();
      endless.destroy();
      return { status: reply.statusCode, body: JSON.parse(text) };
    };
    expect(await open()).toMatchObject(TOO_LARGE);
    expect(await open(`Token ${mistyped(keys.admin)}`)).toMatchObject(UNAUTHENTICATED);
    expect(await open(`Bearer ${strangerKey}`)).toMatchObject(UNAUTHENTICATED);
  });

  test("that breaks off in a chunk ends the request", async () => {
    const { errors } = service.services.telemetry.metrics;
    const refusals = async () => (await metricValue(errors, { api: "graphql", code: "bad_request" })) ?? 0;
    const before = await refusals();
    const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
    const head =
      "POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked";
    socket.write(`${head}\r\n\r\n10\r\n{"query":`, () => socket.destroy());
    await expect.poll(refusals).toBe(before + 1);
  });

  test("can be larger with valid credentials, even if the key is not cached", async () => {
    const { secret } = await account.createKey({ scope: "read" });
    for (const chunked of [false, true]) {
      expect(await send(body(4 * KIB * KIB), { authorization: `Token ${secret}` }, chunked)).toMatchObject({
        status: 200,
        body: { data: { __typename: "Query" } },
      });
    }
  });
});

test("is limited to 1,000 nesting levels for everyone", async () => {
  const query = "query ($name: String!) { __type(name: $name) { name } }";
  // The body's object and that of its variables are two levels.
  const nested = (levels: number) => ({
    name: JSON.parse(`${"[".repeat(levels - 2)}${"]".repeat(levels - 2)}`),
  });
  const tooDeep = refused(400, "INVALID_JSON", { limit: 1000 });
  for (const key of [null, undefined]) {
    expect(await call(query, nested(1000), key)).toMatchObject(refused(200, "BAD_USER_INPUT"));
    expect(await call(query, nested(1001), key)).toMatchObject(tooDeep);
  }
  // Braces within strings are text.
  const text = `\\"${"[{".repeat(1000)}`;
  expect(await call(query, { name: text }, null)).toMatchObject({
    status: 200,
    body: { data: { __type: null } },
  });
});
