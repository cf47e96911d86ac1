import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { siteConfigJsonSchema } from "@user-groups/site-config";
import { describe, expect, onTestFinished, test } from "vitest";
import { packageVersion } from "../../../src/app/package-version.js";
import { openApiDocument } from "../../../src/http/openapi/document.js";
import { USER_OPERATIONS } from "../../../src/rest/user-groups.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { OpenApiCaller } from "../../support/rest/openapi-caller.js";
import { OpenApiContract } from "../../support/rest/openapi-contract.js";
import { startTestService } from "../../support/service/test-service.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const VERSION = await packageVersion();

const LIMIT = 12;
const encryptionKey = randomBytes(32);
const graphql = await startGraphql({
  encryptionKey,
  rateLimits: { maxCost: LIMIT },
  speed: { keyCacheMs: 0 },
  lockTimeoutMs: 100,
  publicUrl: "https://groups.example.com",
});
const { account, service } = graphql;
const contract = new OpenApiContract();
const USER = ["get", "put", "post", "delete"].map((method) => `${method} /api/user`);
const EMBED = "post /api/embed-session";
const LIST = "get /api/user-groups";
const TEMPLATE = "post /api/embed-session/{template}";
const WITH_KEY = [...USER, EMBED, TEMPLATE];
const KEYS = "get /.well-known/jwks.json";
const TEMPLATE_KEYS = "get /accounts/{account}/{environment}/jwks.json";
const SITE = ["get", "head"].map((method) => `${method} /site-config/{site}`);
const VALIDATE = "post /site-config/validate";
const PUT_SITE = "put /site-config/{site}";
const DELETE_SITE = "delete /site-config/{site}";
const [GET = "", PUT = "", POST = "", DELETE = ""] = USER;

const PARAMETERS = { template: "cube", account: String(account.accountId), environment: "Customer" };
const caller = new OpenApiCaller(graphql.service.url, contract, PARAMETERS);
await changeSite(graphql, "put", { site: "docs", text: JSON.stringify(goodSite), isPublic: true });

/** Each call has a key of its own, since rate limits are low. */
async function newKey(scope: "admin" | "read" = "admin"): Promise<string> {
  return (await graphql.account.createKey({ scope })).secret;
}

const call = async (operation: string, body?: unknown, options: object = {}) =>
  caller.call(operation, { key: await newKey(), body, ...options });
const site = (query = "") => ({ path: `/site-config/docs${query}` });

/** The token of a new group. */
async function create(id: string): Promise<string> {
  const { body } = await call(GET, { user_group_id: id, name: id, mapping: { charts: "sales" } });
  return body.user_group.token;
}

describe("a reply matches the document", () => {
  test("for the four methods", async () => {
    const token = await create("acme");
    expect((await call(GET, { user_group_id: "acme" })).body.new_user_group).toBe(false);
    await call(GET, { user_group_id: "rich", name: "R", properties: { a: { b: [null, 1.5, "x"] } } });
    const { headers: read } = await call(PUT, { user_group_id: "acme", properties: { region: "EU" } });
    const put = { "if-match": String(read["etag"]), "idempotency-key": "put", prefer: "handling=strict" };
    for (const name of ["Acme", "Acme", "Other"])
      await call(PUT, { user_group_id: "acme", name }, { headers: put });
    const lost = { "if-match": String(read["etag"]), prefer: "handling=strict" };
    await call(PUT, { user_group_id: "acme", name: "Lost" }, { headers: lost });
    const patch = { "content-type": "application/merge-patch+json" };
    await call(PUT, { user_group_id: "acme", properties: { region: null } }, { headers: patch });
    const headers = { "idempotency-key": "once" };
    const key = await newKey();
    const rotated = await caller.call(POST, { key, headers, body: { current_token: token } });
    const again = await caller.call(POST, { key, headers, body: { current_token: token } });
    const current = { current_token: rotated.body.user_group.token };
    for (const operation of [POST, DELETE])
      await call(operation, current, { headers: { "if-match": '"1-1"' } });
    expect(again.headers["idempotent-replayed"]).toBe("true");
    expect(again.body).toEqual(rotated.body);
    for (const operation of [POST, DELETE])
      await call(operation, { current_token: "another" }, { key, headers });
    await call(DELETE, { current_token: rotated.body.user_group.token, user_group_id: "other" });
    await call(DELETE, { current_token: rotated.body.user_group.token, user_group_id: "acme" });
  });

  test("for a repeated rotation with the same Idempotency-Key", async () => {
    const token = await create("busy");
    const tenant = { accountId: account.accountId, environment: "Customer" } as const;
    await service.database.transaction(tenant, async (other) => {
      const text =
        "INSERT INTO idempotent_request (account_id, environment, key, fingerprint) VALUES ($1, 'Customer', 'busy', '')";
      await other.run({ access: "write", text }, [account.accountId]);
      const headers = { "idempotency-key": "busy" };
      const body = { current_token: token, user_group_id: "busy" };
      for (const operation of [PUT, POST, DELETE]) await call(operation, body, { headers });
    });
  });

  test("for embed sessions and the keys that verify them", async () => {
    await call(EMBED, { current_token: await create("embedded") });
    await call(EMBED, { user_group_id: "embedded", expires_in: 60, variables: { region: "EU" } });
    await call(EMBED, { user_group_id: "nobody" });
    await caller.call(KEYS);
  });

  test("for sessions of templates and the keys that verify them", async () => {
    expect((await caller.call(TEMPLATE_KEYS)).status).toBe(404);
    const template = { name: "cube", algorithm: "ES256", claims: { sub: "{{ userGroup.providedId }}" } };
    await graphql.mutate("createSessionTemplate", template, "", await newKey());
    await call(TEMPLATE, { current_token: await create("templated"), expires_in: 60, variables: {} });
    await call(TEMPLATE, { user_group_id: "templated" }, { path: "/api/embed-session/nothing" });
    await call(TEMPLATE, { user_group_id: "nobody" });
    expect((await caller.call(TEMPLATE_KEYS)).status).toBe(200);
  });

  test("for lists of user groups", async () => {
    for (const name of ["a", "b"]) await create(name);
    const list = async (query: string) => call(LIST, undefined, { path: `/api/user-groups?${query}` });
    expect((await list("limit=1")).body.next_cursor).toEqual(expect.any(String));
    expect((await list("user_group_id=b")).body).toMatchObject({
      user_groups: [{ name: "b" }],
      next_cursor: null,
    });
    await list("limit=0");
    for (const body of ["{", "{}", `"${"x".repeat(2 ** 20)}"`]) await call(LIST, body);
    await call(LIST, "{}", { headers: { "content-type": "text/plain" } });
  });

  test("for rejected bodies", async () => {
    for (const operation of WITH_KEY) {
      await call(operation, "{");
      await call(operation, { user_group_id: 5, current_token: 5 });
      await call(operation, `"${"x".repeat(2 ** 20)}"`);
      await call(operation, "{}", { headers: { "content-type": "text/plain" } });
      const body = { user_group_id: "new", name: "N", current_token: "x" };
      await call(operation, body, { key: await newKey("read") });
    }
    await call(GET, { user_group_id: "new", name: "N", mapping: { charts: "nowhere" } });
    await create("known");
    await call(PUT, { user_group_id: "known", mapping: { charts: "nowhere" } });
    await call(PUT, { user_group_id: "nobody" });
    for (const operation of [POST, DELETE]) await call(operation, { current_token: "unknown" });
  });

  test("for site configurations", async () => {
    for (const operation of SITE) {
      const { headers } = await call(operation, undefined, site());
      const known = { headers: { "if-none-match": String(headers["etag"]) } };
      expect((await call(operation, undefined, { ...site(), ...known })).status).toBe(304);
      await call(operation, undefined, { ...site(), headers: { "if-match": '"7"' } });
      await call(operation, undefined, site("?revision=1"));
      await call(operation, undefined, site("?revision=0"));
      await call(operation, undefined, site("?revision=7"));
      const account = encodeURIComponent(graphql.account.name);
      await call(operation, undefined, { ...site(`?account=${account}`), key: undefined });
    }
    for (const body of ["{", `"${"x".repeat(2 ** 20)}"`]) await call("get /site-config/{site}", body, site());
    const headers = { "content-type": "text/plain" };
    await call("get /site-config/{site}", "1", { ...site(), headers });
    await call("options /site-config/{site}", undefined, { ...site(), key: undefined });
    await call("options /site-config/{site}", undefined, { path: "/site-config/%ff", key: undefined });
  });

  test("for changes of site configurations", async () => {
    const at = { path: "/site-config/changed" };
    const invalid = { ...goodSite, name: "" };
    await call(VALIDATE, goodSite);
    await call(VALIDATE, invalid, { path: "/site-config/validate?strict" });
    await call(PUT_SITE, invalid, at);
    const { headers } = await call(PUT_SITE, goodSite, { ...at, headers: { "if-none-match": "*" } });
    const ifMatch = { ...at, headers: { "if-match": String(headers["etag"]) } };
    await call(PUT_SITE, { ...goodSite, name: "New" }, ifMatch);
    const text = { headers: { "content-type": "text/csv" } };
    for (const [operation, path] of [
      [VALIDATE, "/site-config/validate"],
      [PUT_SITE, at.path],
    ] as const) {
      for (const body of [undefined, Buffer.from("ff", "hex"), `"${"x".repeat(2 ** 21)}"`]) {
        await call(operation, body, { path });
      }
      await call(operation, "{}", { path, ...text });
      await call(operation, goodSite, { path: `${path}?strict=maybe` });
    }
    for (const operation of [PUT_SITE, DELETE_SITE]) {
      await call(operation, goodSite, ifMatch);
      await call(operation, goodSite, { path: "/site-config/none", headers: { "if-match": "*" } });
      await call(operation, goodSite, { ...at, key: await newKey("read") });
    }
    for (const body of ["{", `"${"x".repeat(2 ** 20)}"`]) await call(DELETE_SITE, body, at);
    await call(DELETE_SITE, "{}", { ...at, ...text });
    await call(DELETE_SITE, undefined, { ...at, headers: { "if-match": "x" } });
    await call(DELETE_SITE, undefined, { ...at, headers: { "if-match": '"2"' } });
  });

  test("for health checks and API descriptions", async () => {
    for (const path of ["/livez", "/readyz"]) await caller.call(`get ${path}`);
    for (const path of ["/openapi.json", "/schemas/site-config.json"]) {
      const { headers, body } = await caller.call(`get ${path}`);
      expect(headers["cache-control"]).toBe("public, max-age=3600");
      const served = path === "/openapi.json" ? openApiDocument(VERSION) : siteConfigJsonSchema();
      expect(body).toEqual(JSON.parse(JSON.stringify(served)));
      for (const tag of [headers["etag"], `W/${headers["etag"]}`, "*"]) {
        const unchanged = await caller.call(`get ${path}`, { headers: { "if-none-match": String(tag) } });
        expect(unchanged).toMatchObject({ status: 304, headers: { etag: headers["etag"] } });
      }
      const changed = await caller.call(`get ${path}`, { headers: { "if-none-match": '"other"' } });
      expect(changed.status).toBe(200);
    }
  });

  test("for requests rejected by every route", async () => {
    const spent = await newKey();
    for (let points = 0; points < LIMIT; points += 1) await caller.call(PUT, { key: spent, body: "{" });
    for (const operation of [...WITH_KEY, LIST, ...SITE, PUT_SITE, DELETE_SITE, VALIDATE]) {
      const path = operation.includes("{site}") ? site() : {};
      await call(operation, undefined, { ...path, key: "unknown" });
      await call(operation, undefined, { ...path, key: spent });
    }
    for (const operation of contract.operations) {
      await caller.callBadly(operation, operation.includes("{site}") ? site().path : undefined);
    }
    // At last: this spends what the address may.
    const statuses = [];
    for (let points = 0; points <= LIMIT; points += 1)
      statuses.push((await caller.call(TEMPLATE_KEYS)).status);
    expect(statuses.at(-1)).toBe(429);
  });
});

describe("an error reply matches the document", () => {
  const callAll = async (key: string) => {
    for (const operation of WITH_KEY) await caller.call(operation, { key, body: {} });
    await caller.call(LIST, { key });
    for (const operation of [...SITE, PUT_SITE, DELETE_SITE])
      await caller.call(operation, { key, ...site() });
    await caller.call(VALIDATE, { key, body: goodSite });
  };

  test("for an internal error", async () => {
    const key = await newKey();
    const rename = (from: string, to: string) =>
      graphql.service.query(`ALTER TABLE api_key RENAME COLUMN ${from} TO ${to}`);
    await rename("scope", "gone");
    await callAll(key);
    await rename("gone", "scope");
  });

  test("when the database does not respond in time", async () => {
    const key = await newKey();
    await graphql.service.database.transaction("operator", async (other) => {
      await other.run({ access: "write", text: "LOCK TABLE api_key IN ACCESS EXCLUSIVE MODE" }, []);
      await callAll(key);
    });
  });

  test("when a search takes too long", async () => {
    const service = await startTestService({
      encryptionKey,
      use: graphql.service,
      statementTimeoutMs: 200,
      lockTimeoutMs: 10_000,
    });
    onTestFinished(() => service.close());
    const key = await newKey();
    await graphql.service.database.transaction("operator", async (other) => {
      await other.run({ access: "write", text: "LOCK TABLE user_group IN ACCESS EXCLUSIVE MODE" }, []);
      const path = "/api/user-groups?schema_id=charts";
      const { body } = await new OpenApiCaller(service.url, contract).call(LIST, { key, path });
      expect(body.error.code).toBe("query_too_expensive");
    });
  });

  test("when the only connection is busy", async () => {
    const service = await startTestService({ use: graphql.service, poolSize: 1, connectTimeoutMs: 200 });
    onTestFinished(() => service.close());
    const alone = new OpenApiCaller(service.url, contract, PARAMETERS);
    await service.database.transaction("operator", async () => {
      for (const operation of ["get /readyz", KEYS, TEMPLATE_KEYS])
        expect((await alone.call(operation)).status).toBe(503);
    });
  });
});

test("the examples in the document work as described", async ({ skip }) => {
  const curl = await promisify(execFile)("curl", ["--version"]).catch(() => undefined);
  skip(curl === undefined, "There is no curl.");
  let token = "";
  const replies = [];
  await call(GET, { user_group_id: "acme", name: "Acme" });
  for (const { description } of Object.values(USER_OPERATIONS)) {
    const [, block = ""] = /```sh\n([^`]+)```/.exec(description.join("\n")) ?? [];
    const env = { ...process.env, BASE_URL: service.url, KEY: await newKey() };
    const script = block.replace("ugt_…", token).replace("demo-sales", "sales");
    const { stdout } = await promisify(execFile)("bash", ["-c", script], { env });
    const reply = JSON.parse(stdout);
    token = reply.user_group?.token ?? token;
    replies.push(reply);
  }
  expect(replies).toHaveLength(4);
  for (const reply of replies) expect(reply).toMatchObject({ success: 1 });
});

test("the tests covered every documented reply", () => {
  expect(contract.seen.toSorted()).toEqual(contract.promised.toSorted());
});
