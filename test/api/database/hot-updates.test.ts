import { beforeEach, expect, test } from "vitest";
import { skipOnCitus } from "../../support/citus/skip-on-citus.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";

const { account, run, service } = await startGraphql();
beforeEach((context) => skipOnCitus(context, "plans"));
/** Few enough that all versions of the rows fit into one page. */
const UPDATES = 5;

/** Waits until the server has counted the updates of a table; it does so with a delay. */
async function hotUpdates(table: string, updates: number): Promise<number> {
  const count = async () => {
    const [counted] = await service.query(
      `SELECT n_tup_upd::integer AS updated, n_tup_hot_upd::integer AS hot FROM pg_stat_user_tables WHERE relname = $1`,
      [table],
    );
    return counted;
  };
  await expect.poll(count).toMatchObject({ updated: updates });
  return (await count()).hot;
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
  const counted = async () =>
    service.query(`SELECT n_tup_upd >= ${used} AS "isCounted", n_tup_upd = n_tup_hot_upd AS "isHot"
      FROM pg_stat_user_tables WHERE relname = 'api_key'`);
  await expect.poll(counted).toEqual([{ isCounted: true, isHot: true }]);
});
