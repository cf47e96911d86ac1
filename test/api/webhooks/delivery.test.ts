import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { updateUserGroup } from "../../../src/persistence/user-groups/writes.js";
import { goodSite } from "../../support/site-configs/store.js";
import { type Received, type Receiver, startReceiver } from "../../support/webhooks/receiver.js";
import { createTenant, startWebhooks } from "../../support/webhooks/tenant.js";

const service = await startWebhooks();
const until = (check: () => Promise<unknown> | unknown) => expect.poll(check);
const types = (received: readonly Received[]) => received.map(({ event }) => event.type);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** The first request, once it has come. */
async function firstOf(receiver: Receiver): Promise<Received> {
  await until(() => receiver.received.length).toBeGreaterThan(0);
  const [request] = receiver.received;
  if (!request) throw new Error("Nothing came.");
  return request;
}

describe("an event", () => {
  test("is signed according to Standard Webhooks", async () => {
    const tenant = await createTenant(service);
    const receiver = await startReceiver();
    const { secret } = await tenant.listen(`${receiver.url}?own=1`);
    await tenant.createGroup("acme");
    const request = await firstOf(receiver);
    expect(request.url).toBe("/hook?own=1");
    expect(request.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": request.event.id,
    });
    expect(new Webhook(secret).verify(request.body, request.headers)).toEqual(request.event);
    const other = new Webhook(`whsec_${Buffer.alloc(32).toString("base64")}`);
    expect(() => other.verify(request.body, request.headers)).toThrow("No matching signature");
    const altered = request.body.replace("acme", "evil");
    expect(() => new Webhook(secret).verify(altered, request.headers)).toThrow("No matching signature");
  });

  test("reports each change of a group and each revision of a site, once and in order, with IDs but no values", async () => {
    const tenant = await createTenant(service);
    const receiver = await startReceiver();
    await tenant.listen(receiver.url);
    const token = await tenant.createGroup("acme");
    const { userGroup } = await tenant.run('{ userGroup(by: { providedId: "acme" }) { id teamId } }');
    await tenant.rename("acme", "Another secret");
    const rotated = await tenant.mutate("rotateUserGroupToken", { by: { token } }, "userGroup { token }");
    await tenant.mutate("deleteUserGroup", { by: rotated.userGroup });
    const put = { site: "docs", source: { document: goodSite } };
    const { siteConfig } = await tenant.mutate("putSiteConfig", put, "siteConfig { id }");
    // Changes without events: an API key, a data source, the visibility of a site.
    await tenant.mutate("setSiteConfigVisibility", { site: "docs", isPublic: true });
    await until(() => receiver.received.length).toBe(5);
    const ofGroup = receiver.received.filter(({ event }) => event.data.userGroup).map(({ event }) => event);
    const about = { id: userGroup.id, teamId: userGroup.teamId, providedId: "acme" };
    expect(ofGroup.map(({ type, data }) => [type, data])).toEqual([
      ["user_group.created", { userGroup: { ...about, version: 1, changed: [] } }],
      ["user_group.updated", { userGroup: { ...about, version: 2, changed: ["name"] } }],
      ["user_group.token_rotated", { userGroup: { ...about, version: 3, changed: [] } }],
      ["user_group.deleted", { userGroup: { ...about, version: 3, changed: [] } }],
    ]);
    expect(ofGroup[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f-]{27}$/),
      type: "user_group.created",
      createdAt: TIME,
      environment: "Customer",
      data: expect.anything(),
    });
    expect(receiver.received.find(({ event }) => event.data.siteConfig)?.event).toMatchObject({
      type: "site_config.published",
      data: { siteConfig: { id: siteConfig.id, site: "docs", revision: 1 } },
    });
    expect(JSON.stringify(receiver.received)).not.toMatch(/ugt_|ecret name|Another secret/);
  });

  test("is sent as a test to an endpoint whatever it receives, and signed", async () => {
    const tenant = await createTenant(service);
    const receiver = await startReceiver();
    const { id, secret } = await tenant.listen(receiver.url, ["SITE_CONFIG_PUBLISHED"]);
    await tenant.mutate("sendTestWebhook", { id });
    const request = await firstOf(receiver);
    expect(new Webhook(secret).verify(request.body, request.headers)).toEqual({
      id: request.headers["webhook-id"],
      type: "webhook_endpoint.test",
      createdAt: TIME,
      environment: "Customer",
      data: { webhookEndpoint: { id } },
    });
  });

  test("goes to the subscribed endpoints of its own environment, under one ID", async () => {
    const tenant = await createTenant(service);
    const stranger = await createTenant(service);
    const [all, some, off, strange] = await Promise.all([1, 2, 3, 4].map(() => startReceiver()));
    if (!all || !some || !off || !strange) throw new Error("There are four.");
    await tenant.listen(all.url);
    await tenant.listen(some.url, ["USER_GROUP_UPDATED", "SITE_CONFIG_PUBLISHED"]);
    const { id } = await tenant.listen(off.url);
    await tenant.mutate("updateWebhookEndpoint", { id, enabled: false });
    await stranger.listen(strange.url);
    await tenant.createGroup("acme");
    await tenant.rename("acme", "New");
    await until(() => types(all.received)).toEqual(["user_group.created", "user_group.updated"]);
    await until(() => types(some.received)).toEqual(["user_group.updated"]);
    expect(some.received[0]?.event.id).toBe(all.received[1]?.event.id);
    expect(all.received[0]?.event.id).not.toBe(all.received[1]?.event.id);
    await until(async () => (await tenant.deliveries({ state: "PENDING" })).length).toBe(0);
    expect(await tenant.deliveries()).toHaveLength(3);
    expect([off.received, strange.received]).toEqual([[], []]);
  });

  test("is sent for each of many groups changed at once", async () => {
    const tenant = await createTenant(service);
    const receiver = await startReceiver();
    await tenant.listen(receiver.url);
    const userGroups = Array.from({ length: 200 }, (_, index) => ({ providedId: `g${index}`, name: "G" }));
    const refs = userGroups.map(({ providedId }) => ({ providedId }));
    for (const [index, [mutation, groups, type]] of (
      [
        ["upsertUserGroups", userGroups, "user_group.created"],
        ["rotateUserGroupTokens", refs, "user_group.token_rotated"],
        ["deleteUserGroups", refs, "user_group.deleted"],
      ] as const
    ).entries()) {
      await tenant.mutate(mutation, { userGroups: groups });
      await until(() => receiver.received.length).toBe(200 * (index + 1));
      const received = receiver.received.slice(-200);
      expect(new Set(types(received))).toEqual(new Set([type]));
      expect(new Set(received.map(({ event }) => event.data.userGroup.providedId)).size).toBe(200);
    }
    expect(receiver.maxConcurrent()).toBeLessThanOrEqual(4);
  });

  test("is never sent for a change that is rolled back", async () => {
    const tenant = await createTenant(service);
    const receiver = await startReceiver();
    await tenant.listen(receiver.url);
    const scope = { accountId: tenant.accountId, environment: "Customer" } as const;
    await tenant.createGroup("kept");
    await expect(
      service.database.for(scope).transaction(async (transaction) => {
        await updateUserGroup(transaction, { by: "providedId", providedId: "kept" }, { name: "x" });
        const rows = await transaction.raw.run(
          { access: "read", text: "SELECT id FROM webhook_delivery" },
          [],
        );
        expect(rows).toHaveLength(2);
        throw new Error("undone");
      }),
    ).rejects.toThrow("undone");
    await tenant.rename("kept", "New");
    await until(() => types(receiver.received)).toEqual(["user_group.created", "user_group.updated"]);
    expect(await tenant.deliveries()).toHaveLength(2);
  });
});

test("a rotated secret still signs, so that receivers can verify with either", async () => {
  const tenant = await createTenant(service);
  const receiver = await startReceiver();
  const { id, secret: old } = await tenant.listen(receiver.url);
  const rotated = await tenant.mutate("rotateWebhookSecret", { id }, "secret");
  expect(rotated).toEqual({ secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) });
  expect(rotated.secret).not.toBe(old);
  await tenant.createGroup("acme");
  await until(() => receiver.received.length).toBe(1);
  const [{ expiresAt }] = await service.query(
    `SELECT previous_secret_expires_at AS "expiresAt" FROM webhook_endpoint WHERE account_id = $1`,
    [tenant.accountId],
  );
  expect(expiresAt.getTime() - Date.now()).toBeGreaterThan(23 * 3_600_000);
  await service.query(
    "UPDATE webhook_endpoint SET previous_secret_expires_at = now() WHERE account_id = $1",
    [tenant.accountId],
  );
  await tenant.rename("acme", "New");
  await until(() => receiver.received.length).toBe(2);
  const [during, after] = receiver.received;
  if (!during || !after) throw new Error("Two came.");
  for (const secret of [old, rotated.secret])
    expect(new Webhook(secret).verify(during.body, during.headers)).toEqual(during.event);
  expect(new Webhook(rotated.secret).verify(after.body, after.headers)).toEqual(after.event);
  expect(() => new Webhook(old).verify(after.body, after.headers)).toThrow("No matching signature");
});

test("no secret appears in a table, in the log or in a list; it can be decrypted in its own row only", async () => {
  const tenant = await createTenant(service);
  const receiver = await startReceiver(() => ({ status: 500 }));
  const { id, secret } = await tenant.listen(`${receiver.url}?token=in-the-url`);
  const second = await tenant.listen("http://127.0.0.1:1/hook");
  const rotated = await tenant.mutate("rotateWebhookSecret", { id }, "secret");
  await tenant.createGroup("acme");
  await until(async () => (await tenant.deliveries({ state: "DEAD" })).length).toBe(2);
  const list = await tenant.run("{ webhookEndpoints { nodes { id name url events disabledAt createdAt } } }");
  const rows = await service.query("SELECT row_to_json(e)::text AS text FROM webhook_endpoint AS e");
  const deliveries = await service.query("SELECT row_to_json(d)::text AS text FROM webhook_delivery AS d");
  const texts = [JSON.stringify([rows, deliveries, list]), ...service.log];
  for (const text of texts) {
    for (const one of [secret, second.secret, rotated.secret]) {
      expect(text).not.toContain(one.slice("whsec_".length));
      expect(text).not.toContain(Buffer.from(one).toString("hex"));
    }
  }
  expect(service.log.join("")).not.toContain("in-the-url");
  const { length } = receiver.received;
  await service.query(
    `UPDATE webhook_endpoint AS first SET secret_ciphertext = second.secret_ciphertext FROM webhook_endpoint AS second
      WHERE first.account_id = $1 AND second.account_id = $1 AND first.id < second.id`,
    [tenant.accountId],
  );
  await tenant.rename("acme", "New");
  await until(() => service.log.some((line) => line.includes("webhook attempt could not be recorded"))).toBe(
    true,
  );
  expect(receiver.received).toHaveLength(length);
});
