import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { toNodeId } from "../../../src/graphql/shared/node.js";
import { skipOnCitus } from "../../support/citus/skip-on-citus.js";
import { createSession, readViewer } from "../../support/embed/sessions.js";
import {
  type EventStream,
  expectCutOff,
  openGroupStream,
} from "../../support/graphql/event-stream-client.js";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup } from "../../support/graphql/user-group-operations.js";
import { connectSocket, subscribeToGroup } from "../../support/graphql/web-socket-client.js";
import { callRest } from "../../support/rest/rest-client.js";
import { metricValue } from "../../support/service/metric-samples.js";
import { patienceMs } from "../../support/service/patience.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

/** Longer than any test: a key that stops working earlier has not merely left the cache. */
const HOUR_MS = 3_600_000;
const encryptionKey = randomBytes(32);
const graphql = await startGraphql({ encryptionKey, speed: { keyCacheMs: HOUR_MS } });
const { account, keys, rest, service } = graphql;
let other: TestService;

beforeAll(async () => {
  other = await startTestService({ encryptionKey, use: service, speed: { keyCacheMs: HOUR_MS } });
  await Promise.all([service, other].map(({ services }) => services.notifications.listen()));
});
afterAll(() => other.close());

async function watch({ url }: TestService, authorization: string, providedId?: string): Promise<EventStream> {
  const query = "subscription ($by: UserGroupBy) { userGroupChanged(by: $by) { kind userGroup { name } } }";
  const stream = await openGroupStream(url, authorization, query, providedId ? { by: { providedId } } : {});
  expect(stream.status).toBe(200);
  onTestFinished(() => stream.close());
  return stream;
}

const read = async ({ url }: TestService, key: string) =>
  (await callGraphql(url, key, "{ viewer { environment } }")).status;

const untilRefused = (service: TestService, key: string) =>
  expect.poll(() => read(service, key), { timeout: patienceMs() }).toBe(401);

async function rename(providedId: string, name: string): Promise<void> {
  expect(await rest("PUT", { user_group_id: providedId, name })).toMatchObject({ status: 200 });
}

/** Revokes a key as its admin. */
async function revoke(keyId: number, more = "", headers: Readonly<Record<string, string>> = {}) {
  const query = `mutation { revokeApiKey(input: { id: "${toNodeId("ApiKey", keyId)}" }) { userErrors { code } } ${more} }`;
  return (await callRest(`${service.url}/graphql`, "POST", keys.admin, { query }, headers)).status;
}

const PLACES = ["the process that revokes it", "another process"];
const serviceIn = (place: string) => (place === "another process" ? other : service);

test("a key that is revoked in the database stops working in every process, by the trigger", async (context) => {
  skipOnCitus(context, "triggers");
  const { secret, id } = await account.createKey();
  for (const each of [service, other]) expect(await read(each, secret)).toBe(200);
  await service.query("UPDATE api_key SET revoked_at = now() WHERE id = $1", [id]);
  for (const each of [service, other]) await untilRefused(each, secret);
  // From here on the statements alone notify, as on Citus.
  await service.query("DROP TRIGGER api_key_revoked ON api_key");
});

test("a key that is revoked from the command line stops working in every process", async () => {
  const { secret, id } = await account.createKey();
  for (const each of [service, other]) expect(await read(each, secret)).toBe(200);
  await service.services.accounts.revokeKey(id);
  for (const each of [service, other]) await untilRefused(each, secret);
});

test.each(PLACES)(
  "a revoked key stops working immediately in %s, even if cached, and other keys stay cached",
  async (where) => {
    const place = serviceIn(where);
    const { services, statements } = place;
    const { secret, id } = await account.createKey({ scope: "read" });
    await createUserGroup(graphql, where);
    const stream = await watch(place, `Token ${secret}`, where);
    expect([await read(place, secret), await read(place, keys.read)]).toEqual([200, 200]);
    expect(
      await metricValue(services.telemetry.metrics.cacheLookups, { cache: "api_keys", result: "hit" }),
    ).toBeGreaterThan(0);
    expect(await revoke(id)).toBe(200);
    await rename(where, "After the revocation");
    await expectCutOff(stream);
    await untilRefused(place, secret);
    statements.length = 0;
    expect(await read(place, keys.read)).toBe(200);
    expect(statements).toEqual([]);
  },
);

test.each(PLACES)(
  "a revoked key's embed sessions and their streams end immediately in %s, and those of other keys do not",
  async (where) => {
    const place = serviceIn(where);
    const { statements } = place;
    const { secret, id } = await account.createKey({ scope: "embed" });
    const providedId = `embedded in ${where}`;
    await createUserGroup(graphql, providedId);
    const ofKey = await createSession(service, secret, { user_group_id: providedId });
    const ofOther = await createSession(service, keys.admin, { user_group_id: providedId });
    const streams = [
      await watch(place, `Bearer ${ofKey.token}`),
      await watch(place, `Bearer ${ofOther.token}`),
    ];
    const socket = await connectSocket(place.url, `Bearer ${ofKey.token}`);
    await subscribeToGroup(socket, "1", "subscription { userGroupChanged { kind } }");
    statements.length = 0;
    expect((await readViewer(place, ofKey.token)).status).toBe(200);
    expect(statements).toHaveLength(1);
    expect(await revoke(id)).toBe(200);
    // The group does not change.
    await expectCutOff(streams[0]);
    expect((await socket.closed()).code).toBe(4403);
    expect((await readViewer(place, ofKey.token)).status).toBe(401);
    await rename(providedId, "After the revocation");
    expect(await streams[1]?.next()).toMatchObject({ data: { userGroupChanged: { kind: "UPDATED" } } });
    expect((await readViewer(place, ofOther.token)).status).toBe(200);
  },
);

test("a rolled-back revocation changes nothing; a transaction's takes effect on commit", async () => {
  const { secret, id } = await account.createKey({ scope: "read" });
  const mutate = (more: string) => revoke(id, more, { "idempotency-key": `"${more}."` });
  expect([await read(service, secret), await read(other, secret)]).toEqual([200, 200]);
  await service.query("ALTER TABLE data_source ADD CONSTRAINT broken_ck CHECK (name <> 'broken')");
  const broken = 'createDataSource(input: { providedId: "broken", name: "broken" }) { userErrors { code } }';
  expect(await mutate(broken)).toBe(500);
  await service.query("ALTER TABLE data_source DROP CONSTRAINT broken_ck");
  expect([await read(service, secret), await read(other, secret)]).toEqual([200, 200]);
  expect(await mutate("")).toBe(200);
  expect(await read(service, secret)).toBe(401);
  await untilRefused(other, secret);
});

test("a key whose revocation was not notified receives no event either", async () => {
  const { secret, id } = await account.createKey({ scope: "read" });
  await createUserGroup(graphql, "silent");
  const stream = await watch(other, `Token ${secret}`, "silent");
  const revokeSilently = (keyId: number) =>
    service.query("UPDATE api_key SET revoked_at = now() WHERE id = $1", [keyId]);
  await revokeSilently(id);
  await rename("silent", "After the revocation");
  await expectCutOff(stream);
  // Without an event, the database is queried once a second.
  const key = await account.createKey({ scope: "embed" });
  const session = await createSession(service, key.secret, { user_group_id: "silent" });
  const quiet = await watch(other, `Token ${key.secret}`, "silent");
  const page = await watch(other, `Bearer ${session.token}`);
  await revokeSilently(key.id);
  await expectCutOff(quiet);
  await expectCutOff(page);
  expect((await readViewer(other, session.token)).status).toBe(401);
});

test("an expiring key ends its stream at that time and is not cached for longer", async () => {
  const expiresAt = new Date(Date.now() + 10_000);
  const { secret } = await account.createKey({ scope: "read", expiresAt });
  await createUserGroup(graphql, "expiring");
  const stream = await watch(other, `Token ${secret}`, "expiring");
  await rename("expiring", "Before");
  expect(await stream.next()).toEqual({
    data: { userGroupChanged: { kind: "UPDATED", userGroup: { name: "Before" } } },
  });
  expect(await read(other, secret)).toBe(200);
  await expectCutOff(stream);
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime() - 5);
  await sleep(Math.max(expiresAt.getTime() - Date.now(), 0));
  expect(await read(other, secret)).toBe(401);
});

test("a rotated token receives no later events from any process", async () => {
  const { token } = await createUserGroup(graphql, "rotated");
  const streams = await Promise.all([service, other].map((each) => watch(each, `Bearer ${token}`)));
  expect((await rest("POST", { current_token: token })).status).toBe(200);
  await rename("rotated", "After the rotation");
  for (const stream of streams) await expectCutOff(stream);
});
