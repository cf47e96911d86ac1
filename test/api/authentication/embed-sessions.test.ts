import { createLocalJWKSet, decodeJwt, jwtVerify } from "jose";
import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { toNodeId } from "../../../src/graphql/shared/node.js";
import { clientOptions } from "../../../src/persistence/shared/database-options.js";
import { createSession, ENCRYPTION_KEY, readViewer } from "../../support/embed/sessions.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";
import { metricValue } from "../../support/service/metric-samples.js";
import { startTestService } from "../../support/service/test-service.js";
import { avoidMidnight } from "../../support/service/utc-day.js";

await avoidMidnight();

const graphql = await startGraphql({ encryptionKey: ENCRYPTION_KEY });
const { account, front, keys, mutate, run, service } = graphql;
const variables = { region: "EU", limits: [1, { max: 2.5 }], note: "größer" };

const post = (body: object, key = keys.admin, method = "POST") =>
  callRest(`${service.url}/api/embed-session`, method, key, body);
const create = (providedId: string) => createUserGroup(graphql, providedId, { properties: { region: "US" } });
const createOver = (input: object) => mutate("createEmbedSession", input, "token expiresAt");
/** The lifetime of a session in seconds. */
function lifetimeOf(token: string): number {
  const { exp = 0, iat = 0 } = decodeJwt(token);
  return exp - iat;
}

describe("POST /api/embed-session", () => {
  test("returns a session for an external ID, of 15 minutes", async () => {
    await create("rest");
    const before = Math.floor(Date.now() / 1000);
    const reply = await post({ user_group_id: "rest" });
    expect(reply).toMatchObject({
      status: 200,
      headers: { "cache-control": "no-store", "x-request-id": expect.any(String) },
    });
    const body = Object(reply.body);
    expect(Object.keys(body)).toEqual(["success", "token", "expires_at"]);
    expect(body).toEqual({ success: 1, token: expect.any(String), expires_at: expect.any(String) });
    const { exp = 0, iat = 0 } = decodeJwt(body.token);
    expect(lifetimeOf(body.token)).toBe(900);
    expect(iat).toBeGreaterThanOrEqual(before);
    expect(new Date(body.expires_at)).toEqual(new Date(exp * 1000));
  });

  test("returns a session for a current token, with a lifetime and variables", async () => {
    const group = await create("by token");
    const reply = await post({ current_token: group.token, expires_in: 86_400, variables });
    const claims = decodeJwt(Object(reply.body).token);
    const { viewer } = await run("{ viewer { apiKey { id } } }");
    expect(claims).toEqual({
      iss: "user-groups",
      aud: `${account.name}/Customer`,
      sub: String(group.teamId),
      iat: expect.any(Number),
      exp: (claims.iat ?? 0) + 86_400,
      account_id: account.accountId,
      environment: "Customer",
      generation: 1,
      api_key_id: expect.toSatisfy((id: number) => toNodeId("ApiKey", id) === viewer.apiKey.id),
      variables,
    });
  });

  test("returns a session that expires with its API key", async () => {
    await create("expiring key");
    const expiresAt = new Date(Date.now() + 120_000);
    const { secret } = await account.createKey({ scope: "embed", expiresAt });
    const body = Object((await post({ user_group_id: "expiring key" }, secret)).body);
    expect(decodeJwt(body.token).exp).toBe(Math.floor(expiresAt.getTime() / 1000));
    expect(Date.parse(body.expires_at)).toBe(Math.floor(expiresAt.getTime() / 1000) * 1000);
    const short = Object((await post({ user_group_id: "expiring key", expires_in: 60 }, secret)).body);
    expect(lifetimeOf(short.token)).toBe(60);
  });

  test("accepts variables of the largest size, and the session with them", async () => {
    await create("large");
    const largest = { a: `${"ü".repeat(2043)}xx` };
    expect(Buffer.byteLength(JSON.stringify(largest))).toBe(4096);
    const { token } = Object((await post({ user_group_id: "large", variables: largest })).body);
    const { body } = await readViewer(service, token);
    expect(Object(body).data.viewer.embedSession.variables).toEqual(largest);
  });

  test("answers for an unknown group, other methods and other scopes, also with a slash at the end", async () => {
    await create("scopes");
    for (const body of [{ user_group_id: "unknown" }, { current_token: "ugt_unknown" }])
      expect(await post(body)).toMatchObject({
        status: 404,
        body: { error: { code: "user_group_not_found" } },
      });
    expect(await post({}, keys.admin, "GET")).toMatchObject({ status: 405, headers: { allow: "POST" } });
    const message = "This API key cannot create embed sessions. Use an API key with `embed` scope.";
    const body = { user_group_id: "scopes" };
    expect(await post(body, keys.read)).toMatchObject({
      status: 403,
      body: { error: { code: "forbidden", message } },
    });
    const reply = await callRest(`${service.url}/api/embed-session/`, "POST", keys.embed, body);
    expect(reply.status).toBe(200);
  });
});

test("createEmbedSession returns a session that reads its own group, properties and variables", async () => {
  const group = await create("graphql");
  const input = { by: { id: group.id }, expiresInSeconds: 60, variables };
  const { token, expiresAt, userErrors } = await createOver(input);
  expect(userErrors).toEqual([]);
  const userGroup = { name: "graphql", properties: { region: "US" } };
  expect(await readViewer(service, token)).toMatchObject({
    status: 200,
    body: { data: { viewer: { embedSession: { expiresAt, variables }, userGroup } } },
  });
  for (const query of [
    "{ viewer { userGroup { token } } }",
    'mutation { deleteDataSource(input: { by: { id: "x" } }) { userErrors { code } } }',
  ])
    expect((await front(token, query)).status).toBe(403);
  expect((await readViewer(service, group.token)).body).toMatchObject({
    data: { viewer: { embedSession: null } },
  });
});

test("createEmbedSession reports invalid fields and unknown groups as user errors", async () => {
  const invalid = { expiresInSeconds: 1, variables: { a: "x".repeat(4096) } };
  expect((await createOver({ by: { providedId: "?" }, ...invalid })).userErrors).toEqual(
    [
      "expiresInSeconds must be a whole number from 60 to 86400.",
      "variables must be at most 4096 bytes of JSON.",
    ].map((message) => ({ code: "INVALID_FIELD", message, field: [message.split(" ")[0]] })),
  );
  expect(await createOver({ by: { providedId: "unknown" } })).toMatchObject({
    token: null,
    userErrors: [{ code: "USER_GROUP_NOT_FOUND" }],
  });
});

test("a session is verified offline with the published keys, which contain nothing private", async () => {
  await create("offline");
  const { token } = await createSession(service, keys.admin, { user_group_id: "offline" });
  const reply = await callRest(`${service.url}/.well-known/jwks.json`, "GET", undefined);
  expect(reply).toMatchObject({
    status: 200,
    headers: {
      "content-type": expect.stringContaining("application/jwk-set+json"),
      "cache-control": "public, max-age=300",
      "access-control-allow-origin": "*",
    },
  });
  const set = Object(reply.body);
  expect(set.keys.map((key: object) => Object.keys(key).toSorted())).toEqual([
    ["alg", "crv", "kid", "kty", "use", "x", "y"],
  ]);
  const options = { issuer: "user-groups", audience: `${account.name}/Customer`, algorithms: ["ES256"] };
  expect((await jwtVerify(token, createLocalJWKSet(set), options)).payload["environment"]).toBe("Customer");
});

test("sessions are counted by key, group and day, and have an audit entry only if the setting is on", async () => {
  const { id } = await create("counted");
  const other = await create("not embedded");
  const created = service.services.telemetry.metrics.embedSessions;
  const before = (await metricValue(created)) ?? 0;
  const audits = await startTestService({
    use: service,
    encryptionKey: ENCRYPTION_KEY,
    auditEmbedSessions: true,
  });
  try {
    const { token } = await createSession(audits, keys.admin, { user_group_id: "counted" });
    const request = { user_group_id: "counted" };
    const sessions = Array.from({ length: 8 }, (_, index) =>
      createSession(service, index < 3 ? keys.embed : keys.admin, request),
    );
    await Promise.all(sessions);
    expect(await metricValue(created)).toBe(before + 8);
    const counts = await service.query(
      `SELECT day = (now() AT TIME ZONE 'UTC')::date AS "isToday", count::integer FROM embed_session_count
        JOIN user_group ON id = user_group_id WHERE provided_id = 'counted' ORDER BY count`,
    );
    expect(counts).toEqual([3, 6].map((count) => ({ isToday: true, count })));
    const { auditLog } = await run(
      `{ auditLog(first: 2, filter: { subjectName: "counted" }) { nodes { action subjectId subjectVersion actorName requestId } } }`,
    );
    expect(auditLog.nodes).toMatchObject([
      {
        action: "USER_GROUP_EMBED_SESSION_CREATED",
        subjectId: id,
        subjectVersion: null,
        actorName: "test",
        requestId: expect.any(String),
      },
      { action: "USER_GROUP_CREATED" },
    ]);
    const stored = await service.query("SELECT row_to_json(audit_entry)::text AS text FROM audit_entry");
    expect(stored.map(({ text }) => text).join()).not.toContain(token.slice(0, 20));
    expect(audits.log.join()).not.toContain(token.split(".")[1]);
  } finally {
    await audits.close();
  }

  service.statements.length = 0;
  const days = (count: number) => `nodes { providedId embedSessionDays(days: ${count}) { date sessions } }`;
  const both = `(first: 2, filter: { providedIds: ["counted", "not embedded"] })`;
  const { userGroups } = await run(`{ userGroups${both} { ${days(2)} } }`);
  expect(service.statements.filter((text) => text.includes("embed_session_count"))).toHaveLength(1);
  const dates = [1, 0].map((ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10));
  const daysOf = (counts: readonly number[]) =>
    dates.map((date, index) => ({ date, sessions: counts[index] }));
  expect(userGroups.nodes).toEqual([
    { providedId: "counted", embedSessionDays: daysOf([0, 9]) },
    { providedId: other.providedId, embedSessionDays: daysOf([0, 0]) },
  ]);
  const { body } = await graphql.call(`{ userGroups${both} { ${days(91)} } }`);
  expect(body).toMatchObject({ errors: [{ extensions: { code: "INVALID_FIELD", field: ["days"] } }] });
});

test("a group that is deleted while its session is created is not found", async () => {
  await create("deleted meanwhile");
  const client = new Client(clientOptions(service.owner));
  await client.connect();
  try {
    await client.query("BEGIN; DELETE FROM user_group WHERE provided_id = 'deleted meanwhile'");
    const reply = post({ user_group_id: "deleted meanwhile" });
    const waiting =
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%embed_session_count%'";
    await expect.poll(() => service.query(waiting)).toHaveLength(1);
    await client.query("COMMIT");
    expect(await reply).toMatchObject({ status: 404, body: { error: { code: "user_group_not_found" } } });
  } finally {
    await client.end();
  }
});
