import { randomBytes } from "node:crypto";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Data, startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";
import { callRest } from "../../support/rest/rest-client.js";
import { startTestService } from "../../support/service/test-service.js";
import {
  createTemplateSession,
  newToolSecret,
  PUBLIC_URL,
  saving,
  withSecret,
} from "../../support/session-templates/templates.js";

const encryptionKey = randomBytes(32);
const OPTIONS = { encryptionKey, publicUrl: PUBLIC_URL, auditEmbedSessions: true };
const graphql = await startGraphql(OPTIONS);
const { service, account, keys } = graphql;
const save = saving(graphql, "createSessionTemplate");

await createUserGroup(graphql, "acme", { properties: { region: "EU" } });

/** Creates a template and returns the payload. */
async function create(input: object, key = keys.admin) {
  return graphql.mutate(
    "createSessionTemplate",
    input,
    "sessionTemplate { name issuer keySetUrl version } warnings",
    key,
  );
}

async function createSession(template: string, body: object, key = keys.embed): Promise<Data> {
  return createTemplateSession(service.url, template, body, key);
}

/** Starts another process of the service, which has cached nothing. */
async function startAnother() {
  const another = await startTestService({ ...OPTIONS, use: service });
  onTestFinished(() => another.close());
  return another;
}

/** The claims of a token as their text: JSON.parse would change numbers. */
const claimsTextOf = (token: string) => Buffer.from(token.split(".")[1] ?? "", "base64url").toString();

test("a token with HS256 is verified by the tool's secret", async () => {
  const secret = "0123456789abcdef0123456789abcdef";
  const created = await create({
    name: "metabase",
    algorithm: "HS256",
    secret,
    claims: { resource: { dashboard: 1 }, params: { region: "{{ userGroup.properties.region }}" } },
    url: "https://bi.example.com/embed/dashboard/{{ token }}#bordered=true",
  });
  expect(created).toEqual({
    sessionTemplate: { name: "metabase", issuer: null, keySetUrl: null, version: 1 },
    warnings: [],
    userErrors: [],
  });
  const { status, body } = await createSession("metabase", { user_group_id: "acme", expires_in: 120 });
  expect({ status, body }).toEqual({
    status: 200,
    body: {
      success: 1,
      template: "metabase",
      token: expect.any(String),
      expires_at: expect.any(String),
      url: `https://bi.example.com/embed/dashboard/${body.token}#bordered=true`,
    },
  });
  const { payload, protectedHeader } = await jwtVerify(body.token, Buffer.from(secret));
  expect(protectedHeader).toEqual({ alg: "HS256", typ: "JWT" });
  expect(payload).toEqual({
    resource: { dashboard: 1 },
    params: { region: "EU" },
    iat: expect.any(Number),
    exp: (payload.iat ?? 0) + 120,
  });
});

test("a token with ES256 is verified by the keys of the account and environment", async () => {
  const created = await create({
    name: "cube",
    algorithm: "ES256",
    claims: { tenant: "{{ userGroup.providedId }}", nothing: "{{ userGroup.properties.nothing ?? 1 }}" },
  });
  const issuer = `https://groups.example.com/accounts/${account.accountId}/Customer`;
  expect(created).toEqual({
    sessionTemplate: { name: "cube", issuer, keySetUrl: `${issuer}/jwks.json`, version: 1 },
    warnings: [expect.stringContaining("has the property `nothing`")],
    userErrors: [],
  });
  const { body } = await createSession("cube", { user_group_id: "acme" });
  const keySet = await fetch(`${service.url}/accounts/${account.accountId}/Customer/jwks.json`);
  expect(keySet.headers.get("content-type")).toMatch("application/jwk-set+json");
  const { payload } = await jwtVerify(body.token, createLocalJWKSet(JSON.parse(await keySet.text())));
  expect(payload).toEqual({
    iss: issuer,
    aud: `${account.name}/Customer`,
    tenant: "acme",
    nothing: 1,
    iat: expect.any(Number),
    exp: (payload.iat ?? 0) + 600,
  });
  expect(decodeProtectedHeader(body.token)).toEqual({ alg: "ES256", typ: "JWT", kid: expect.any(String) });
});

test("over GraphQL", async () => {
  const session = await graphql.mutate(
    "createTemplateSession",
    { by: { providedId: "acme" }, template: "metabase" },
    "template token expiresAt url",
  );
  expect(session).toEqual({
    template: "metabase",
    token: expect.any(String),
    expiresAt: expect.any(String),
    url: expect.stringContaining("https://bi.example.com/embed/dashboard/eyJ"),
    userErrors: [],
  });
  const data = await graphql.run(
    '{ userGroup(by: { providedId: "acme" }) { sessionClaims(template: "metabase") { claims errors { code } } } sessionTemplates { nodes { name } } }',
  );
  expect(data).toEqual({
    userGroup: {
      sessionClaims: { claims: { resource: { dashboard: 1 }, params: { region: "EU" } }, errors: [] },
    },
    sessionTemplates: { nodes: [{ name: "cube" }, { name: "metabase" }] },
  });
});

/** What is recorded of sessions. */
async function recorded() {
  const [counts] = await service.query(
    "SELECT coalesce(sum(count), 0)::integer AS count FROM embed_session_count",
  );
  const entries = await service.query(
    "SELECT session_id, subject_name FROM audit_entry WHERE action = 'user_group.embed_session_created' ORDER BY id",
  );
  return { count: counts.count, entries };
}

describe("a session is refused", () => {
  test("with every reference whose value is missing or empty, and neither counted nor audited", async () => {
    const properties = { empty: [], blank: " ", nothing: null, deep: { list: [{}] } };
    await createUserGroup(graphql, "bare", { properties, mapping: [entry("sales", "sales")] });
    const claims = {
      given: "{{ userGroup.mapping.sales }}",
      a: "{{ userGroup.properties.absent }}",
      b: "{{ userGroup.properties.empty }}",
      c: ["{{ userGroup.properties.blank | text }}", "{{ userGroup.properties.nothing }}"],
      d: "{{ userGroup.properties.deep }}",
      e: "tenant = '{{ userGroup.mapping.crm | sqlString }}'",
      f: "{{ variables.region }}",
      g: "{{ userGroup.properties.constructor }}",
    };
    expect(await save(withSecret("strict", { claims }))).toEqual([]);
    const before = await recorded();
    const request = { user_group_id: "bare", variables: { region: [] } };
    const { status, body } = await createSession("strict", request);
    const references = {
      "claims.a": "userGroup.properties.absent }}`, which is missing",
      "claims.b": "userGroup.properties.empty }}`, which is empty",
      "claims.c.0": "userGroup.properties.blank | text }}`, which is empty",
      "claims.c.1": "userGroup.properties.nothing }}`, which is empty",
      "claims.d": "userGroup.properties.deep }}`, which is empty",
      "claims.e": "userGroup.mapping.crm | sqlString }}`, which is missing",
      "claims.f": "variables.region }}`, which is empty",
      "claims.g": "userGroup.properties.constructor }}`, which is missing",
    };
    expect([status, body.error.code]).toEqual([400, "invalid_field"]);
    const messages: [string, string][] = body.error.fields.map(({ field, message }: Data) => [
      field,
      message,
    ]);
    expect(messages.map(([field]) => field)).toEqual(Object.keys(references));
    for (const [field, message] of messages) {
      expect(message).toContain(Object.entries(references).find(([name]) => name === field)?.[1]);
      expect(message).toContain("for the user group `bare`: ");
    }
    const viaGraphql = await graphql.mutate(
      "createTemplateSession",
      {
        by: { providedId: "bare" },
        template: "strict",
        variables: request.variables,
      },
      "token",
    );
    expect(viaGraphql).toMatchObject({
      token: null,
      userErrors: messages.map(([field]) => ({ field: field.split(".") })),
    });
    const { userGroup } = await graphql.run(
      'query ($variables: JSON) { userGroup(by: { providedId: "bare" }) { sessionClaims(template: "strict", variables: $variables) { claims errors { field } } } }',
      { variables: request.variables },
      keys.read,
    );
    expect(userGroup.sessionClaims.claims).toBeNull();
    expect(userGroup.sessionClaims.errors).toHaveLength(messages.length);
    expect(await recorded()).toEqual(before);
  });

  test("for an unknown template, group or lifetime, and for values that become larger than 6 KiB", async () => {
    const claims = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`c${i}`, "{{ userGroup.properties.long }}"]),
    );
    await createUserGroup(graphql, "long", { properties: { long: "x".repeat(200) } });
    expect(await save(withSecret("large", { claims }))).toEqual([]);
    const before = await recorded();
    for (const [template, body, code] of [
      ["nothing", { user_group_id: "acme" }, "session_template_not_found"],
      ["large", { user_group_id: "nobody" }, "user_group_not_found"],
      ["large", { user_group_id: "long", expires_in: 59 }, "invalid_field"],
      ["large", { user_group_id: "long" }, "invalid_field"],
      ["Large", { user_group_id: "long" }, "invalid_field"],
    ] as const)
      expect((await createSession(template, body)).body.error.code, template).toBe(code);
    expect(await recorded()).toEqual(before);
  });

  test("for a number that JavaScript would change, unless it is written as text", async () => {
    const number = "9007199254740993";
    await createUserGroup(graphql, "large-number");
    const body = `{ "user_group_id": "large-number", "properties": { "tenant": ${number}, "in": [${number}] } }`;
    expect((await graphql.rest("PUT", body)).status).toBe(200);
    const claims = (text: string) => ({ claims: { tenant: `{{ ${text} }}` } });
    for (const [name, text] of [
      ["whole", "userGroup.properties.tenant"],
      ["number", "userGroup.properties.tenant | number"],
      ["within", "userGroup.properties.in"],
    ] as const) {
      expect(await save(withSecret(name, claims(text)))).toEqual([]);
      const { body } = await createSession(name, { user_group_id: "large-number" });
      expect(body.error.fields).toEqual([
        { field: "claims.tenant", message: expect.stringContaining("a number beyond 9007199254740991") },
      ]);
    }
    expect(await save(withSecret("exact", claims("userGroup.properties.tenant | text")))).toEqual([]);
    const exact = await createSession("exact", { user_group_id: "large-number" });
    expect(claimsTextOf(exact.body.token)).toContain(`"tenant":"${number}"`);
  });
});

test("a secret that another process replaces signs at once, and the former one no longer does", async () => {
  const [former, next] = [newToolSecret(), newToolSecret()];
  expect(await save(withSecret("replaced", { secret: former }))).toEqual([]);
  const sign = async () => (await createSession("replaced", { user_group_id: "acme" })).body.token;
  await jwtVerify(await sign(), Buffer.from(former));
  const another = await startAnother();
  await callAdmin(another.url, next);
  const token = await sign();
  await jwtVerify(token, Buffer.from(next));
  await expect(jwtVerify(token, Buffer.from(former))).rejects.toThrow("signature verification failed");
});

async function callAdmin(url: string, secret: string): Promise<void> {
  const query = `mutation ($secret: String!) {
    updateSessionTemplate(input: { by: { name: "replaced" }, secret: $secret }) { userErrors { code } }
  }`;
  const { body } = await callRest(`${url}/graphql`, "POST", keys.admin, { query, variables: { secret } });
  expect(body).toEqual({ data: { updateSessionTemplate: { userErrors: [] } } });
}

test("expires_in only shortens the template's lifetime, and the API key's expiry the token's", async () => {
  const secret = newToolSecret();
  expect(await save(withSecret("short", { secret, lifetimeSeconds: 300 }))).toEqual([]);
  const expiresAt = new Date(Math.floor(Date.now() / 1000) * 1000 + 120_000);
  const expiring = (await account.createKey({ scope: "embed", expiresAt })).secret;
  const lifetimeOf = async (expires_in: number | undefined, key = keys.embed) => {
    const { body } = await createSession("short", { user_group_id: "acme", expires_in }, key);
    const { iat = 0, exp = 0 } = (await jwtVerify(body.token, Buffer.from(secret))).payload;
    expect(new Date(body.expires_at).getTime()).toBe(exp * 1000);
    return { exp, seconds: exp - iat };
  };
  expect((await lifetimeOf(undefined)).seconds).toBe(300);
  expect((await lifetimeOf(60)).seconds).toBe(60);
  expect((await lifetimeOf(86_400)).seconds).toBe(300);
  expect((await lifetimeOf(undefined, expiring)).exp).toBe(expiresAt.getTime() / 1000);
  expect((await lifetimeOf(60, expiring)).seconds).toBe(60);
});

test("a session is counted, and audited with the ID that it may contain", async () => {
  const claims = { jti: "{{ session.id }}", sub: "{{ userGroup.providedId }}" };
  expect(await save(withSecret("audited", { claims }))).toEqual([]);
  await createUserGroup(graphql, "counted");
  const before = await recorded();
  const { body } = await createSession("audited", { user_group_id: "counted" });
  const { jti } = JSON.parse(claimsTextOf(body.token));
  expect(jti).toMatch(/^audited\/[0-9a-f-]{36}$/);
  const after = await recorded();
  expect(after.count).toBe(before.count + 1);
  expect(after.entries.slice(before.entries.length)).toEqual([{ session_id: jti, subject_name: "counted" }]);
  const { userGroup } = await graphql.run(
    '{ userGroup(by: { providedId: "counted" }) { embedSessionDays(days: 1) { sessions } auditLog(first: 1) { nodes { sessionId actorName } } } }',
  );
  expect(userGroup).toEqual({
    embedSessionDays: [{ sessions: 1 }],
    auditLog: { nodes: [{ sessionId: jti, actorName: "test" }] },
  });
});

test("replies with tokens are not stored for an Idempotency-Key", async () => {
  const query =
    'mutation { createTemplateSession(input: { by: { providedId: "acme" }, template: "metabase" }) { token userErrors { field } } }';
  const before = await recorded();
  const refused = { token: null, userErrors: [{ field: ["Idempotency-Key"] }] };
  const { body } = await graphql.send({ query }, keys.write, { "idempotency-key": "graphql" });
  expect(body).toEqual({ data: { createTemplateSession: refused } });
  expect(await recorded()).toEqual(before);
  const headers = { "idempotency-key": "rest" };
  const session = async () =>
    createTemplateSession(service.url, "metabase", { user_group_id: "acme" }, keys.embed, headers);
  expect([(await session()).status, (await session()).headers["idempotent-replayed"]]).toEqual([
    200,
    undefined,
  ]);
  // The refusal alone.
  expect(await service.query("SELECT key FROM idempotent_request")).toEqual([{ key: "graphql" }]);
});
