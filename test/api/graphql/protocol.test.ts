import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { printSdl } from "../../../src/graphql/server/schema.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { callRest } from "../../support/rest/rest-client.js";

const graphql = useGraphql();
const VIEWER =
  "{ viewer { accountName environment apiKey { id scope } userGroup { id } tokenGraceSeconds } }";
const READ = `{ userGroup(by: { providedId: "x" }) { name } }`;
const ROTATE = `mutation { rotateUserGroupToken(input: { by: { token: "x" } }) { userGroup { id } } }`;

test("schema.graphql is current (npm run schema:write)", async () => {
  expect(await readFile(new URL("../../../schema.graphql", import.meta.url), "utf8")).toBe(printSdl());
});

test("viewer describes the caller", async () => {
  const { run, account, keys } = graphql();
  const viewer = {
    accountName: account.name,
    environment: "CUSTOMER",
    apiKey: { id: expect.any(String), scope: "ADMIN" },
    userGroup: null,
    tokenGraceSeconds: 0,
  };
  expect(await run(VIEWER)).toEqual({ viewer });
  expect(await run(VIEWER, {}, keys.testing)).toEqual({ viewer: { ...viewer, environment: "TESTING" } });
  expect(await run(VIEWER, {}, keys.read)).toEqual({
    viewer: { ...viewer, apiKey: { ...viewer.apiKey, scope: "READ" } },
  });
});

test("without credentials, only the schema can be read", async () => {
  const { call } = graphql();
  expect(await call(VIEWER, {}, null)).toMatchObject({ status: 200, body: { data: { viewer: null } } });
  expect(await call("{ __schema { queryType { name } } }", {}, null)).toMatchObject({ status: 200 });
  for (const query of [READ, ROTATE]) {
    const reply = await call(query, {}, null);
    expect(reply).toMatchObject({
      status: 401,
      headers: { "www-authenticate": 'Token realm="user-groups"' },
    });
    expect(reply.body).toMatchObject({
      errors: [{ extensions: { code: "UNAUTHENTICATED", requestId: reply.headers["x-request-id"] } }],
    });
  }
});

test("with invalid credentials, nothing runs", async () => {
  const { call } = graphql();
  const reply = await call(VIEWER, {}, "ugk_live_wrong");
  expect(reply.status).toBe(401);
  expect(reply.headers["www-authenticate"]).toBe('Token realm="user-groups"');
  expect(reply.body).toEqual({
    errors: [
      {
        message: "The API key is unknown, revoked or expired.",
        extensions: { code: "UNAUTHENTICATED", requestId: reply.headers["x-request-id"] },
      },
    ],
  });
});

test("a read key cannot mutate", async () => {
  const { call, keys } = graphql();
  const reply = await call(ROTATE, {}, keys.read);
  expect(reply).toMatchObject({
    status: 403,
    body: { data: null, errors: [{ extensions: { code: "FORBIDDEN" } }] },
  });
});

test("partial data keeps status 200", async () => {
  const { call } = graphql();
  const query = `{ viewer { environment } userGroup(by: { providedId: "" }) { name } }`;
  expect(await call(query)).toMatchObject({
    status: 200,
    body: {
      data: { viewer: { environment: "CUSTOMER" }, userGroup: null },
      errors: [{ path: ["userGroup"] }],
    },
  });
});

test("invalid operations and variables are rejected with the standard codes", async () => {
  const { call } = graphql();
  for (const [query, variables, code] of [
    ["{", {}, "GRAPHQL_PARSE_FAILED"],
    ["{ nothing }", {}, "GRAPHQL_VALIDATION_FAILED"],
    ["query ($by: UserGroupBy!) { userGroup(by: $by) { name } }", { by: { teamId: "x" } }, "BAD_USER_INPUT"],
  ] as const) {
    const reply = await call(query, variables);
    // GraphQL over HTTP: the status reflects errors only for its own media type.
    expect(reply).toMatchObject({ status: 200, body: { errors: [{ extensions: { code } }] } });
    const accept = "application/graphql-response+json";
    const { service, keys } = graphql();
    const body = { query, variables };
    expect(await callRest(`${service.url}/graphql`, "POST", keys.admin, body, { accept })).toMatchObject({
      status: 400,
      headers: { "content-type": `${accept}; charset=utf-8` },
      body: { errors: [{ extensions: { code } }] },
    });
    expect(JSON.stringify(reply.body)).not.toContain("stacktrace");
  }
});

test("a body that is not JSON gets the position of the error", async () => {
  const { service } = graphql();
  const url = `${service.url}/graphql`;
  expect(await callRest(url, "POST", undefined, '{"query":}')).toMatchObject({
    status: 400,
    body: {
      errors: [
        {
          message: "The body is not valid JSON: value expected at line 1, column 10.",
          extensions: { code: "INVALID_JSON" },
        },
      ],
    },
  });
  expect(await callRest(url, "POST", undefined, "x".repeat(4 * 1_048_576 + 1))).toMatchObject({
    status: 413,
    body: { errors: [{ extensions: { code: "PAYLOAD_TOO_LARGE" } }] },
  });
  expect(await callRest(url, "POST", undefined, "{}", { "content-type": "application/xml" })).toMatchObject({
    status: 415,
    body: { errors: [{ extensions: { code: "UNSUPPORTED_MEDIA_TYPE" } }] },
  });
  for (const body of ["[]", "null", "5", '[{"query":"{viewer{environment}}"}]']) {
    expect((await callRest(url, "POST", undefined, body)).status).toBe(400);
  }
});

test("replies are not cacheable and contain the request ID", async () => {
  const { call } = graphql();
  const { headers } = await call(VIEWER);
  expect(headers).toMatchObject({
    "cache-control": "no-store",
    "x-request-id": expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
});
