import { expect, test } from "vitest";
import { ConflictError, InvalidRequestError, NotFoundError } from "../../../clients/typescript/src/index.js";
import { collect, usePackageClient } from "../../support/clients/package-client.js";

const fixture = usePackageClient({ webhooks: { allowPrivate: true } });
const REQUEST_ID = expect.stringMatching(/^[\w-]{8,}$/);

test("an update with an expected version applies only to that version", async () => {
  const { userGroups } = fixture().client;
  await userGroups.getOrCreate({ userGroupId: "versioned", name: "V" });
  const { version = 0 } = (await userGroups.get({ providedId: "versioned" })) ?? {};
  const change = { userGroupId: "versioned", properties: { a: 1 }, expectedVersion: version };
  expect(await userGroups.update({ ...change, mapping: { charts: "sales" } })).toMatchObject({
    providedId: "versioned",
    name: "V",
    properties: { a: 1 },
    apiEnvironmentTag: "Customer",
    token: expect.stringMatching(/^ugt_/),
  });
  const late = userGroups.update({ ...change, name: "Late" });
  await expect(late).rejects.toThrow(ConflictError);
  await expect(late).rejects.toMatchObject({
    code: "version_conflict",
    field: "expectedVersion",
    requestId: REQUEST_ID,
  });
  const nobody = userGroups.update({ ...change, userGroupId: "nobody" });
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
  const rotated = await userGroups.rotateTokens([b1, b2]);
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
  await userGroups.getOrCreate({ userGroupId: "hooked", name: "H" });
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
