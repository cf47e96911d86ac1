import { decodeProtectedHeader } from "jose";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createSession, ENCRYPTION_KEY, readViewer } from "../../support/embed/sessions.js";
import { callRest } from "../../support/rest/rest-client.js";
import {
  startTestService,
  type TestService,
  type TestServiceOptions,
} from "../../support/service/test-service.js";

const DAY_AND_MARGIN = "interval '24 hours 5 minutes'";

let service: TestService;
let key: string;
const services: TestService[] = [];

beforeEach(async () => {
  service = await startTestService({ encryptionKey: ENCRYPTION_KEY });
  services.push(service);
  key = (await (await service.createAccount()).createKey()).secret;
  await callRest(`${service.url}/api/user`, "GET", key, { user_group_id: "acme", name: "Acme" });
});
afterEach(async () => {
  // The last one owns the database of the others.
  for (const each of services.splice(0).toReversed()) await each.close();
});

/** Starts another process of the service, which has cached no signing keys. */
async function startAnother(options: TestServiceOptions = {}): Promise<TestService> {
  const { target, owner } = service;
  const use = { target, owner };
  const another = await startTestService({ encryptionKey: ENCRYPTION_KEY, use, ...options });
  services.push(another);
  return another;
}

const createOn = (on: TestService) => createSession(on, key, { user_group_id: "acme", expires_in: 86_400 });
const kidOf = ({ token }: { readonly token: string }) => decodeProtectedHeader(token).kid;
const statusOf = async (on: TestService, { token }: { readonly token: string }) =>
  (await readViewer(on, token)).status;
async function publishedBy(on: TestService): Promise<string[]> {
  const { body } = await callRest(`${on.url}/.well-known/jwks.json`, "GET", undefined);
  return Object(body).keys.map(({ kid }: { kid: string }) => kid);
}

describe("the first key", () => {
  test("is created when it is needed, once for concurrent requests to several processes, and stored encrypted", async () => {
    const another = await startAnother();
    expect(await service.query("SELECT FROM signing_key")).toEqual([]);
    const published = await Promise.all([service, another, service, another].map(publishedBy));
    const sessions = await Promise.all([service, another].map(createOn));
    const [stored] = await service.query("SELECT id, public_key, private_key_ciphertext FROM signing_key");
    expect(published).toEqual(Array.from({ length: 4 }, () => [stored.id]));
    expect(sessions.map(kidOf)).toEqual([stored.id, stored.id]);
    expect(await service.query("SELECT FROM signing_key")).toHaveLength(1);
    expect(JSON.parse(stored.public_key)).not.toHaveProperty("d");
    expect(stored.private_key_ciphertext.toString("latin1")).not.toContain("kty");
  });
});

describe("a rotation", () => {
  test("publishes the new key 15 minutes before it signs, then accepts the former one for 24 hours", async () => {
    const first = await createOn(service);
    const added = await service.services.signingKeys.rotate();
    expect(added.signsFrom.getTime() - added.createdAt.getTime()).toBe(15 * 60_000);
    expect(await publishedBy(service)).toEqual([kidOf(first), added.id]);
    expect(kidOf(await createOn(service))).toBe(kidOf(first));

    // A quarter of an hour later.
    await shift("interval '15 minutes'");
    const later = await startAnother();
    const second = await createOn(later);
    expect(kidOf(second)).toBe(added.id);
    expect(await publishedBy(later)).toEqual([kidOf(first), added.id]);
    expect(await statusOf(later, first)).toBe(200);
    // The first process has cached the keys since before, and accepts the new one.
    expect(await statusOf(service, second)).toBe(200);

    await shift("interval '24 hours 4 minutes'");
    const beforeEnd = await startAnother();
    expect(await statusOf(beforeEnd, first)).toBe(200);

    await shift("interval '1 minute'");
    const afterEnd = await startAnother();
    expect(await statusOf(afterEnd, first)).toBe(401);
    expect(await statusOf(afterEnd, second)).toBe(200);
    expect(await publishedBy(afterEnd)).toEqual([added.id]);
  });

  test("by several processes at once adds one key at a time", async () => {
    const another = await startAnother();
    await createOn(service);
    const outcomes = await Promise.allSettled(
      [service, another].map((each) => each.services.signingKeys.rotate()),
    );
    const added = outcomes.filter(({ status }) => status === "fulfilled").length;
    expect(added).toBeGreaterThan(0);
    expect(await service.query("SELECT FROM signing_key")).toHaveLength(1 + added);
    expect(await service.query("SELECT FROM signing_key WHERE retired_from IS NULL")).toHaveLength(1);
  });

  test("of a service without keys adds one that signs at once", async () => {
    const added = await service.services.signingKeys.rotate();
    expect(kidOf(await createOn(service))).toBe(added.id);
  });
});

test("a rotation that revokes ends all sessions, and the new key signs at once", async () => {
  const first = await createOn(service);
  const added = await service.services.signingKeys.rotate(true);
  expect(await statusOf(service, first)).toBe(401);
  expect(await publishedBy(await startAnother())).toEqual([added.id]);
  const second = await createOn(service);
  expect(kidOf(second)).toBe(added.id);
  expect(await statusOf(service, second)).toBe(200);
});

test("a key created by another process is found, although the keys are cached", async () => {
  const another = await startAnother();
  await publishedBy(another);
  const [first] = await publishedBy(service);
  await service.services.signingKeys.rotate();
  await service.query("UPDATE signing_key SET retired_from = now() WHERE id = $1", [first]);
  await service.query("UPDATE signing_key SET signs_from = now() WHERE id <> $1", [first]);
  const session = await createOn(await startAnother());
  expect(kidOf(session)).not.toBe(first);
  // Unknown keys are looked for again, at most every five seconds.
  await expect.poll(() => statusOf(another, session), { interval: 500 }).toBe(200);
});

test("retired keys are purged when they are no longer accepted", async () => {
  await createOn(service);
  const added = await service.services.signingKeys.rotate();
  const purged = async () => (await service.services.purgeJob.run())?.get("retired_signing_keys");
  await service.query(
    `UPDATE signing_key SET retired_from = now() - ${DAY_AND_MARGIN} + interval '1 minute' WHERE retired_from IS NOT NULL`,
  );
  expect(await purged()).toBe(0);
  await service.query(
    "UPDATE signing_key SET retired_from = retired_from - interval '1 minute' WHERE retired_from IS NOT NULL",
  );
  expect(await purged()).toBe(1);
  expect(await service.query("SELECT id FROM signing_key")).toEqual([{ id: added.id }]);
});

/** Lets time pass for the keys. */
async function shift(time: string): Promise<void> {
  await service.query(`UPDATE signing_key SET created_at = created_at - ${time}, signs_from = signs_from - ${time},
    retired_from = retired_from - ${time}`);
}
