import { beforeEach, expect, test } from "vitest";
import { skipOnCitus } from "../../support/citus/skip-on-citus.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { countsOf } from "../../support/postgres/table-counts.js";

const { account, run, service } = await startGraphql({ poolSize: 1 });
beforeEach((context) => skipOnCitus(context, "plans"));
/** Few enough that all versions of the rows fit into one page. */
const UPDATES = 5;

async function hotUpdates(table: string, updates: number): Promise<number> {
  await expect.poll(() => countsOf(service, table)).toMatchObject({ updated: updates });
  return (await countsOf(service, table)).hot;
}

async function updateProperties(stamp: number): Promise<void> {
  const { userErrors } = (
    await run(
      `mutation ($properties: JSON) {
        updateUserGroup(input: { by: { providedId: "hot" }, properties: $properties }) { userErrors { code } }
      }`,
      { properties: { stamp } },
    )
  ).updateUserGroup;
  expect(userErrors).toEqual([]);
}

test("only the index of the list by last change keeps updates of properties from being HOT", async () => {
  await run(
    `mutation { createUserGroup(input: { providedId: "hot", name: "Hot" }) { userErrors { code } } }`,
  );
  for (let stamp = 0; stamp < UPDATES; stamp += 1) await updateProperties(stamp);
  expect(await hotUpdates("user_group", UPDATES)).toBe(0);
  await service.query("DROP INDEX user_group_updated_at_ix");
  for (let stamp = 0; stamp < UPDATES; stamp += 1) await updateProperties(UPDATES + stamp);
  expect(await hotUpdates("user_group", 2 * UPDATES)).toBe(UPDATES);
});

test("the use of API keys and the health of webhook endpoints are HOT updates", async () => {
  await service.query(`INSERT INTO webhook_endpoint (account_id, environment, name, url, events, secret_key_id, secret_ciphertext)
    VALUES (${account.accountId}, 'Customer', 'One', 'https://93.184.216.34/', '{}', '', '')`);
  await service.query("UPDATE webhook_endpoint SET last_success_at = now(), consecutive_failures = 0");
  expect(await hotUpdates("webhook_endpoint", 1)).toBe(1);
  const [{ used }] = await service.query(
    `WITH used AS (UPDATE api_key SET last_used_at = now() RETURNING 1) SELECT count(*)::integer AS used FROM used`,
  );
  expect(used).toBeGreaterThan(0);
  const apiKeys = () => countsOf(service, "api_key");
  await expect.poll(async () => (await apiKeys()).updated).toBeGreaterThanOrEqual(used);
  const { updated, hot } = await apiKeys();
  expect(hot).toBe(updated);
});
