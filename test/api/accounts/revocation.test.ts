import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { toNodeId } from "../../../src/graphql/shared/node-id.js";
import { isOnCitus } from "../../support/citus/skip-on-citus.js";
import { createSession, readViewer } from "../../support/embed/sessions.js";
import { type EventStream, openEventStream } from "../../support/graphql/event-stream-client.js";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { connectSocket, subscribe, watchStarts } from "../../support/graphql/web-socket-client.js";
import { callRest } from "../../support/rest/rest-client.js";
import { metricValue } from "../../support/service/metric-samples.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

/** Longer than any test: a key that stops working earlier has not merely left the cache. */
const HOUR_MS = 3_600_000;
const encryptionKey = randomBytes(32);
const graphql = useGraphql({ encryptionKey, speed: { keyCacheMs: HOUR_MS } });
let other: TestService;

beforeAll(async () => {
  other = await startTestService({ encryptionKey, use: graphql().service, speed: { keyCacheMs: HOUR_MS } });
  await Promise.all([graphql().service, other].map(({ services }) => services.notifications.listen()));
});
afterAll(() => other.close());

async function watch(url: string, authorization: string, providedId?: string): Promise<EventStream> {
  const query = "subscription ($by: UserGroupBy) { userGroupChanged(by: $by) { kind userGroup { name } } }";
  const stream = await openEventStream(url, authorization, query, providedId ? { by: { providedId } } : {});
  expect(stream.status).toBe(200);
  onTestFinished(() => stream.close());
  return stream;
}

async function rename(url: string, providedId: string, name: string): Promise<void> {
  const body = { user_group_id: providedId, name };
  expect(await callRest(`${url}/api/user`, "PUT", graphql().keys.admin, body)).toMatchObject({ status: 200 });
}

const read = async (url: string, key: string) =>
  (await callGraphql(url, key, "{ viewer { environment } }")).status;

/** Revokes a key as its admin. */
async function revoke(url: string, keyId: number, more = "", headers: Readonly<Record<string, string>> = {}) {
  const query = `mutation { revokeApiKey(input: { id: "${toNodeId("ApiKey", keyId)}" }) { userErrors { code } } ${more} }`;
  const reply = await callRest(`${url}/graphql`, "POST", graphql().keys.admin, { query }, headers);
  return reply.status;
}

const ended = (message: string) => ({ errors: [{ message, extensions: { code: "UNAUTHENTICATED" } }] });
const KEY_ENDED = ended("The API key was revoked or has expired.");
const TOKEN_ENDED = ended("The user group token is unknown or was rotated.");

test.each(["the process that revokes it", "another process"])(
  "a revoked key stops working immediately in %s, even if cached, and other keys stay cached",
  async (where) => {
    const { account, keys, service } = graphql();
    const { url, services, statements } = where === "another process" ? other : service;
    const { secret, id } = await account.createKey({ scope: "read" });
    await createUserGroup(graphql(), where);
    const stream = await watch(url, `Token ${secret}`, where);
    expect([await read(url, secret), await read(url, keys.read)]).toEqual([200, 200]);
    expect(
      await metricValue(services.telemetry.metrics.cacheLookups, { cache: "api_keys", result: "hit" }),
    ).toBeGreaterThan(0);
    expect(await revoke(service.url, id)).toBe(200);
    await rename(service.url, where, "After the revocation");
    expect(await stream.next()).toMatchObject(KEY_ENDED);
    expect(await stream.next()).toBeUndefined();
    await expect.poll(() => read(url, secret)).toBe(401);
    statements.length = 0;
    expect(await read(url, keys.read)).toBe(200);
    expect(statements).toEqual([]);
  },
);

test.each(["the process that revokes it", "another process"])(
  "a revoked key's embed sessions and their streams end immediately in %s, and those of other keys do not",
  async (where) => {
    const { account, keys, service } = graphql();
    const place = where === "another process" ? other : service;
    const { url, statements } = place;
    const { secret, id } = await account.createKey({ scope: "embed" });
    const providedId = `embedded in ${where}`;
    await createUserGroup(graphql(), providedId);
    const ofKey = await createSession(service, secret, { user_group_id: providedId });
    const ofOther = await createSession(service, keys.admin, { user_group_id: providedId });
    const started = watchStarts(place);
    const streams = [await watch(url, `Bearer ${ofKey.token}`), await watch(url, `Bearer ${ofOther.token}`)];
    const socket = await connectSocket(url, `Bearer ${ofKey.token}`);
    socket.send(subscribe("1", "subscription { userGroupChanged { kind } }"));
    await started(3);
    statements.length = 0;
    expect((await readViewer(place, ofKey.token)).status).toBe(200);
    expect(statements).toHaveLength(1);
    expect(await revoke(service.url, id)).toBe(200);
    // The group does not change.
    expect(await streams[0]?.next()).toMatchObject(TOKEN_ENDED);
    expect(await streams[0]?.next()).toBeUndefined();
    expect((await socket.closed()).code).toBe(4403);
    expect((await readViewer(place, ofKey.token)).status).toBe(401);
    await rename(service.url, providedId, "After the revocation");
    expect(await streams[1]?.next()).toMatchObject({ data: { userGroupChanged: { kind: "UPDATED" } } });
    expect((await readViewer(place, ofOther.token)).status).toBe(200);
  },
);

test("a rolled-back revocation changes nothing; a transaction's takes effect on commit", async () => {
  const { account, service } = graphql();
  const { secret, id } = await account.createKey({ scope: "read" });
  const mutate = (more: string) => revoke(service.url, id, more, { "idempotency-key": `"${more}."` });
  expect([await read(service.url, secret), await read(other.url, secret)]).toEqual([200, 200]);
  await service.query("ALTER TABLE data_source ADD CONSTRAINT broken_ck CHECK (name <> 'broken')");
  const broken = 'createDataSource(input: { providedId: "broken", name: "broken" }) { userErrors { code } }';
  expect(await mutate(broken)).toBe(500);
  await service.query("ALTER TABLE data_source DROP CONSTRAINT broken_ck");
  expect([await read(service.url, secret), await read(other.url, secret)]).toEqual([200, 200]);
  expect(await mutate("")).toBe(200);
  expect(await read(service.url, secret)).toBe(401);
  await expect.poll(() => read(other.url, secret)).toBe(401);
});

test("a key whose revocation was not notified receives no event either", async () => {
  const { account, service } = graphql();
  const { secret, id } = await account.createKey({ scope: "read" });
  await createUserGroup(graphql(), "silent");
  const stream = await watch(other.url, `Token ${secret}`, "silent");
  // Citus has no triggers.
  if (!isOnCitus()) await service.query("DROP TRIGGER api_key_revoked ON api_key");
  const revokeSilently = (keyId: number) =>
    service.query("UPDATE api_key SET revoked_at = now() WHERE id = $1", [keyId]);
  await revokeSilently(id);
  await rename(service.url, "silent", "After the revocation");
  expect(await stream.next()).toMatchObject(KEY_ENDED);
  // Without an event, the database is queried once a second.
  const key = await account.createKey({ scope: "embed" });
  const session = await createSession(service, key.secret, { user_group_id: "silent" });
  const quiet = await watch(other.url, `Token ${key.secret}`, "silent");
  const page = await watch(other.url, `Bearer ${session.token}`);
  await revokeSilently(key.id);
  expect(await quiet.next()).toMatchObject(KEY_ENDED);
  expect(await page.next()).toMatchObject(TOKEN_ENDED);
  expect((await readViewer(other, session.token)).status).toBe(401);
});

test("an expiring key ends its stream at that time and is not cached for longer", async () => {
  const { account, service } = graphql();
  const expiresAt = new Date(Date.now() + 10_000);
  const { secret } = await account.createKey({ scope: "read", expiresAt });
  await createUserGroup(graphql(), "expiring");
  const stream = await watch(other.url, `Token ${secret}`, "expiring");
  await rename(service.url, "expiring", "Before");
  expect(await stream.next()).toEqual({
    data: { userGroupChanged: { kind: "UPDATED", userGroup: { name: "Before" } } },
  });
  expect(await read(other.url, secret)).toBe(200);
  expect(await stream.next()).toMatchObject(KEY_ENDED);
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime() - 5);
  await sleep(Math.max(expiresAt.getTime() - Date.now(), 0));
  expect(await read(other.url, secret)).toBe(401);
});

test("a rotated token receives no later events from any process", async () => {
  const { service, keys } = graphql();
  const { token } = await createUserGroup(graphql(), "rotated");
  const streams = await Promise.all([service, other].map(({ url }) => watch(url, `Bearer ${token}`)));
  const rotated = await callRest(`${service.url}/api/user`, "POST", keys.admin, { current_token: token });
  expect(rotated.status).toBe(200);
  await rename(service.url, "rotated", "After the rotation");
  for (const stream of streams) {
    expect(await stream.next()).toMatchObject(TOKEN_ENDED);
    expect(await stream.next()).toBeUndefined();
  }
});

test("a deleted group's stream ends in every process", async () => {
  const { service, keys } = graphql();
  const { token } = await createUserGroup(graphql(), "deleted");
  const streams = await Promise.all(
    [service, other].map(({ url }) => watch(url, `Token ${keys.admin}`, "deleted")),
  );
  const fronts = await Promise.all([service, other].map(({ url }) => watch(url, `Bearer ${token}`)));
  expect(
    await callRest(`${service.url}/api/user`, "DELETE", keys.admin, { current_token: token }),
  ).toMatchObject({
    status: 200,
  });
  for (const stream of streams) {
    expect(await stream.next()).toEqual({ data: { userGroupChanged: { kind: "DELETED", userGroup: null } } });
    expect(await stream.next()).toBeUndefined();
  }
  for (const front of fronts) expect(await front.next()).toMatchObject(TOKEN_ENDED);
});
