import { readFileSync } from "node:fs";
import { type DocumentNode, parse } from "graphql";
import { describe, expect, onTestFinished, test } from "vitest";
import { createViewer } from "../../../clients/typescript/src/browser.js";
import {
  ApiError,
  ConflictError,
  InvalidRequestError,
  InvalidSiteConfigError,
  NotFoundError,
  type TypedDocument,
} from "../../../clients/typescript/src/index.js";
import { collect, usePackageClient } from "../../support/clients/package-client.js";

const fixture = usePackageClient({ webhooks: { allowPrivate: true } });

describe("groups", () => {
  test("are listed page by page, as far as they are consumed", async () => {
    const { client, service } = fixture();
    const providedIds = Array.from({ length: 7 }, (_, index) => `list-${index}`);
    await client.userGroups.upsert(providedIds.map((providedId) => ({ providedId, name: "L" })));
    const filter = { providedIds };
    const orderBy = { field: "PROVIDED_ID", direction: "DESC" } as const;
    const all = await collect(client.userGroups.list({ filter, orderBy, pageSize: 3 }));
    expect(all.map(({ providedId }) => providedId)).toEqual(providedIds.toReversed());
    service.statements.length = 0;
    for await (const { providedId } of client.userGroups.list({ filter, pageSize: 3 })) {
      if (providedId === "list-1") break;
    }
    const pages = service.statements.filter((text) => /FROM user_group\b[\s\S]* LIMIT/.test(text));
    expect(pages).toHaveLength(1);
    await expect(collect(client.userGroups.list({ pageSize: 251 }))).rejects.toMatchObject({
      code: "invalid_field",
      field: "first",
    });
  });

  test("are upserted all or none, or one by one", async () => {
    const { userGroups } = fixture().client;
    const groups = [
      { providedId: "upsert", name: "U", mapping: { a: "sales" }, properties: { tier: 1 } },
      { providedId: "upsert-faulty", name: "F", mapping: { a: "sales", 7: "nothing", b: "sales" } },
    ];
    const refused = userGroups.upsert(groups);
    await expect(refused).rejects.toThrow(InvalidRequestError);
    await expect(refused).rejects.toMatchObject({
      code: "unknown_data_source",
      field: "userGroups.1.mapping.7",
      userErrors: [{ code: "UNKNOWN_DATA_SOURCE", field: ["userGroups", "1", "mapping", "7"] }],
    });
    expect(await userGroups.get({ providedId: "upsert" })).toBeNull();
    const [written, invalid] = await userGroups.upsertEach(groups);
    expect(written).toMatchObject({
      ok: true,
      isNew: true,
      userGroup: {
        properties: { tier: 1 },
        mapping: [{ schemaId: "a", dataSource: { providedId: "sales" } }],
      },
    });
    expect(invalid).toMatchObject({ ok: false, error: { code: "unknown_data_source", field: "mapping.7" } });
    const [again] = await userGroups.upsert([{ providedId: "upsert", properties: null }]);
    expect(again).toMatchObject({
      isNew: false,
      userGroup: { name: "U", properties: null, version: 2 },
    });
    expect(again?.userGroup.mapping).toHaveLength(1);
  });

  test("have their mapping set, replaced and removed", async () => {
    const { userGroups } = fixture().client;
    await userGroups.getOrCreate({ providedId: "mapped", name: "M" });
    const by = { providedId: "mapped" };
    const shown = async (change: Promise<{ mapping: readonly { schemaId: string }[] }>) =>
      (await change).mapping.map(({ schemaId }) => schemaId);
    expect(await shown(userGroups.setMapping(by, "a", "sales"))).toEqual(["a"]);
    expect(await shown(userGroups.replaceMapping(by, { b: "sales", c: "support" }))).toEqual(["b", "c"]);
    const wrong = userGroups.replaceMapping(by, { b: "sales", c: "nothing" });
    await expect(wrong).rejects.toMatchObject({ code: "unknown_data_source", field: "mapping.c" });
    expect(await shown(userGroups.removeMapping(by, "b"))).toEqual(["c"]);
    await expect(userGroups.setMapping({ providedId: "nobody" }, "a", "sales")).rejects.toThrow(
      NotFoundError,
    );
  });
});

test("creates, reads, lists, changes and deletes data sources", async () => {
  const { dataSources } = fixture().client;
  const created = await dataSources.create({ providedId: "lake", name: "Lake" });
  expect(await dataSources.get({ providedId: "lake" })).toEqual(created);
  await expect(dataSources.create({ providedId: "lake", name: "L" })).rejects.toThrow(ConflictError);
  const renamed = await dataSources.update({ by: { id: created.id }, name: "Ocean" });
  expect(renamed).toEqual({ ...created, name: "Ocean", version: 2 });
  const listed = await collect(dataSources.list({ filter: { nameContains: "ocean" } }));
  expect(listed).toEqual([renamed]);
  await dataSources.delete({ providedId: "lake" });
  expect(await dataSources.get({ providedId: "lake" })).toBeNull();
  await expect(dataSources.delete({ providedId: "lake" })).rejects.toMatchObject({
    code: "data_source_not_found",
    status: 200,
  });
});

test("stores and reads a site's settings, and reports what is wrong with invalid ones", async () => {
  const { siteConfigs } = fixture().client;
  const text = '{ "name": "Docs", "navigation": [{ "group": "", "pages": ["index"] }] }';
  expect(await siteConfigs.get("docs")).toBeNull();
  const { siteConfig, report } = await siteConfigs.put({ site: "docs", source: { text } });
  expect(siteConfig).toMatchObject({ site: "docs", revision: 1, text, document: JSON.parse(text) });
  expect(report).toMatchObject({ isValid: true, warnings: expect.arrayContaining([expect.anything()]) });
  expect(await siteConfigs.get("docs")).toEqual(siteConfig);
  const invalid = siteConfigs.put({ site: "docs", source: { text: '{ "name": "Docs" }' } });
  await expect(invalid).rejects.toThrow(InvalidSiteConfigError);
  await expect(invalid).rejects.toMatchObject({
    code: "invalid_site_config",
    report: { isValid: false, errors: [{ pointer: "", line: 1 }] },
  });
  const late = siteConfigs.put({ site: "docs", source: { text }, expectedRevision: 0 });
  await expect(late).rejects.toMatchObject({ code: "version_conflict" });
  await expect(late).rejects.toThrow(ConflictError);
});

describe("a caller's operation", () => {
  const NAMED = `query ($by: UserGroupBy!) { userGroup(by: $by) { name } }`;

  test("can be text or graphql-codegen output: a parsed document or a typed String", async () => {
    const { client } = fixture();
    await client.userGroups.getOrCreate({ providedId: "own", name: "Own" });
    const variables = { by: { providedId: "own" } };
    type Typed = TypedDocument<{ userGroup: { name: string } | null }, typeof variables>;
    const parsed: Typed & DocumentNode = parse(NAMED);
    const text: Typed & { toString(): string } = new String(NAMED);
    expect(await client.request(NAMED, variables)).toEqual({ userGroup: { name: "Own" } });
    expect((await client.request(parsed, variables)).userGroup?.name).toBe("Own");
    expect((await client.request(text, variables)).userGroup?.name).toBe("Own");
    expect(await client.request("{ viewer { environment } }")).toEqual({
      viewer: { environment: "CUSTOMER" },
    });
  });

  test("fails with code and request ID of its first error", async () => {
    const { client } = fixture();
    const wrong = client.request("{ userGroups { nothing } }");
    await expect(wrong).rejects.toThrow(ApiError);
    await expect(wrong).rejects.toMatchObject({
      code: "graphql_validation_failed",
      status: 400,
      requestId: expect.any(String),
    });
    await expect(client.request(JSON.parse('{ "kind": "Field" }'))).rejects.toThrow(TypeError);
  });
});

describe("with a service restricted to persisted queries", () => {
  const list = new URL("../../../clients/typescript/persisted-queries.json", import.meta.url);
  const strict = usePackageClient({ persistedQueries: JSON.parse(readFileSync(list, "utf8")) });

  test("the client and its pages need only the documents in their list", async () => {
    const { client, service } = strict();
    const { token } = await client.userGroups.getOrCreate({ providedId: "trusted", name: "T" });
    const events = client.userGroups.watch({ providedId: "trusted" });
    expect((await events.next()).value).toMatchObject({ kind: "CURRENT", userGroup: { name: "T" } });
    await events.return();
    const viewer = createViewer({ url: service.url, getSession: () => ({ token, expiresAt: null }) });
    const shown = await new Promise((resolve) => {
      onTestFinished(viewer.watch(({ userGroup, error }) => (userGroup || error) && resolve(userGroup)));
    });
    expect(shown).toEqual(await viewer.read());
    expect(shown).toMatchObject({ name: "T" });
    await expect(client.request("{ viewer { environment } }")).rejects.toMatchObject({
      code: "query_not_allowed",
    });
  });
});

const REQUEST_ID = expect.stringMatching(/^[\w-]{8,}$/);

test("an update with an expected version applies only to that version", async () => {
  const { userGroups } = fixture().client;
  await userGroups.getOrCreate({ providedId: "versioned", name: "V" });
  const { version = 0 } = (await userGroups.get({ providedId: "versioned" })) ?? {};
  const change = { providedId: "versioned", properties: { a: 1 }, expectedVersion: version };
  expect(await userGroups.update({ ...change, mapping: { charts: "sales" } })).toMatchObject({
    providedId: "versioned",
    name: "V",
    properties: { a: 1 },
    environment: "CUSTOMER",
    token: expect.stringMatching(/^ugt_/),
  });
  const late = userGroups.update({ ...change, name: "Late" });
  await expect(late).rejects.toThrow(ConflictError);
  await expect(late).rejects.toMatchObject({
    code: "version_conflict",
    field: "expectedVersion",
    requestId: REQUEST_ID,
  });
  const nobody = userGroups.update({ ...change, providedId: "nobody" });
  await expect(nobody).rejects.toThrow(NotFoundError);
  const refused = userGroups.update({
    ...change,
    expectedVersion: version + 1,
    mapping: { charts: "nowhere" },
  });
  await expect(refused).rejects.toMatchObject({ code: "unknown_data_source", field: "mapping.charts" });
});

test("tokens are rotated and groups deleted in bulk, all or none, or one by one", async () => {
  const { userGroups } = fixture().client;
  await userGroups.upsert(["b1", "b2", "b3"].map((providedId) => ({ providedId, name: "B" })));
  const [b1, b2, nobody] = ["b1", "b2", "nobody"].map((providedId) => ({ providedId }));
  if (!b1 || !b2 || !nobody) throw new Error("There are three references.");
  const before = await userGroups.get(b1);
  await expect(userGroups.rotateTokens([b1, nobody])).rejects.toMatchObject({
    code: "user_group_not_found",
    field: expect.stringMatching(/^userGroups\.1/),
    requestId: REQUEST_ID,
  });
  expect((await userGroups.get(b1))?.token).toBe(before?.token);
  await expect(userGroups.rotateTokens([b1], { graceSeconds: 1 })).rejects.toMatchObject({
    code: "invalid_field",
    field: "graceSeconds",
  });
  const rotated = await userGroups.rotateTokens([b1, b2], { graceSeconds: 0 });
  expect(rotated.map(({ providedId }) => providedId)).toEqual(["b1", "b2"]);
  expect(rotated[0]?.token).not.toBe(before?.token);
  const failed = { ok: false, error: { code: "user_group_not_found", requestId: REQUEST_ID } };
  expect(await userGroups.rotateTokensEach([nobody, b1])).toMatchObject([
    failed,
    { ok: true, userGroup: { providedId: "b1" } },
  ]);
  expect(await userGroups.upsertEach([{ ...nobody, mapping: { a: "nowhere" } }])).toMatchObject([
    { ok: false, error: { requestId: REQUEST_ID } },
  ]);
  await expect(userGroups.deleteMany([b1, nobody])).rejects.toThrow(NotFoundError);
  expect(await userGroups.deleteEach([b1, nobody])).toMatchObject([{ ok: true }, failed]);
  await userGroups.deleteMany([b2]);
  expect(await userGroups.get(b2)).toBeNull();
});

test("webhook endpoints are created, tested, changed and deleted, and their deliveries listed and replayed", async () => {
  const { webhooks, userGroups } = fixture().client;
  const url = "http://127.0.0.1:9/hook";
  const { webhookEndpoint, secret } = await webhooks.create({
    name: "Billing",
    url,
    events: ["USER_GROUP_CREATED"],
  });
  expect(secret).toMatch(/^whsec_/);
  expect(await collect(webhooks.list({ filter: { urlContains: "hook" } }))).toEqual([webhookEndpoint]);
  await userGroups.getOrCreate({ providedId: "hooked", name: "H" });
  const { id } = webhookEndpoint;
  const [delivery, ...others] = await collect(webhooks.deliveries({ filter: { endpointId: id } }));
  expect(others).toEqual([]);
  expect(delivery).toMatchObject({ event: "USER_GROUP_CREATED", state: "PENDING" });
  expect(await webhooks.replay(delivery?.id ?? "")).toMatchObject({ id: delivery?.id });
  const test = await webhooks.sendTest(id);
  expect(test).toMatchObject({ event: "WEBHOOK_ENDPOINT_TEST", state: "PENDING" });
  expect(await webhooks.sendTest(id)).toMatchObject({ id: test.id });
  expect((await webhooks.rotateSecret(id)).secret).not.toBe(secret);
  expect(await webhooks.update({ id, enabled: false })).toMatchObject({
    health: { disabledReason: "ADMIN" },
  });
  await expect(webhooks.sendTest(id)).rejects.toThrow(InvalidRequestError);
  await webhooks.delete(id);
  await expect(webhooks.delete(id)).rejects.toMatchObject({
    code: "webhook_endpoint_not_found",
    requestId: REQUEST_ID,
  });
  await expect(webhooks.create({ name: "x", url: "ftp://a" })).rejects.toThrow(InvalidRequestError);
});

test("API keys are created, listed and revoked", async () => {
  const { client, newClient } = fixture();
  const { apiKey, secret } = await client.apiKeys.create({ name: "CI", scope: "READ" });
  expect(await newClient({ apiKey: secret }).userGroups.get({ providedId: "none" })).toBeNull();
  expect(await collect(client.apiKeys.list())).toContainEqual(
    expect.objectContaining({ id: apiKey.id, name: "CI" }),
  );
  expect(await client.apiKeys.revoke(apiKey.id)).toMatchObject({ revokedAt: expect.any(String) });
  await expect(client.apiKeys.revoke("unknown")).rejects.toMatchObject({ requestId: REQUEST_ID });
});
