import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toNodeId } from "../../../src/graphql/shared/node-id.js";
import { isOnCitus } from "../../support/citus/skip-on-citus.js";
import { callGraphql } from "../../support/graphql/graphql-client.js";
import { useGraphql } from "../../support/graphql/graphql-fixture.js";
import { startTestService, type TestService } from "../../support/service/test-service.js";

/** Longer than any test: a key that stops working earlier has not merely left the cache. */
const HOUR_MS = 3_600_000;
const encryptionKey = randomBytes(32);
const graphql = useGraphql({ encryptionKey, speed: { keyCacheMs: HOUR_MS } });
let other: TestService;

beforeAll(async () => {
  const { service } = graphql();
  other = await startTestService({ encryptionKey, use: service, speed: { keyCacheMs: HOUR_MS } });
  await Promise.all([service, other].map(({ services }) => services.notifications.listen()));
  // Citus has no triggers: there, the statements alone notify.
  if (!isOnCitus()) await service.query("DROP TRIGGER api_key_revoked ON api_key");
});
afterAll(() => other.close());

const status = async ({ url }: TestService, key: string) =>
  (await callGraphql(url, key, "{ viewer { environment } }")).status;

test("without the trigger, a revocation over GraphQL notifies every process, and only of that key", async () => {
  const { account, run, service } = graphql();
  const [revoked, kept] = [await account.createKey(), await account.createKey()];
  for (const each of [service, other])
    expect([await status(each, revoked.secret), await status(each, kept.secret)]).toEqual([200, 200]);
  await run(
    `mutation { revokeApiKey(input: { id: "${toNodeId("ApiKey", revoked.id)}" }) { userErrors { code } } }`,
  );
  for (const each of [service, other]) {
    await expect.poll(() => status(each, revoked.secret)).toBe(401);
    expect(await status(each, kept.secret)).toBe(200);
  }
});

test("without the trigger, a revocation from the command line notifies every process", async () => {
  const { account, service } = graphql();
  const { secret, id } = await account.createKey();
  for (const each of [service, other]) expect(await status(each, secret)).toBe(200);
  await service.services.accounts.revokeKey(id);
  for (const each of [service, other]) await expect.poll(() => status(each, secret)).toBe(401);
});
