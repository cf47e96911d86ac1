import { expect, test } from "vitest";
import { skipOnCitus } from "../../support/citus/skip-on-citus.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { recordPlans } from "../../support/postgres/plan-recorder.js";
import { startService } from "../../support/service/test-service.js";

const { account, keys, mutate, rest, run, service } = await startGraphql();
const tenant = { accountId: account.accountId, environment: "Customer" } as const;

const QUERY = `{ usageDays(days: 90) { date userGroups embedSessions } auditDays(days: 90) { date changes } }`;
const read = () => run(QUERY, {}, keys.admin);

/** Creates groups with entries and sessions of the last 100 days, and entries of deleted ones. */
async function fill(): Promise<void> {
  await service.query(`
    SET session_replication_role = replica;
    INSERT INTO user_group (account_id, environment, id, provided_id, name, token_key_id, token_ciphertext, token_lookup)
      SELECT ${account.accountId}, 'Customer', nextval('user_group_team_id'), 'old ' || n, 'Name', 'none', '',
        sha256(convert_to(n::text, 'UTF8')) FROM generate_series(1, 4000) AS n;
    INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name, created_at)
      SELECT account_id, environment, action, id, provided_id, '{}', 'test', now() - (id % 100) * interval '1 day' - interval '1 hour' + later
      FROM user_group, (VALUES ('user_group.created', interval '0'), ('user_group.updated', interval '1 minute'),
        ('user_group.embed_session_created', interval '2 minutes')) AS event (action, later);
    INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name, created_at)
      SELECT account_id, environment, event.action, id + 100000, provided_id, '{}', 'test', now() - event.age * interval '1 day'
      FROM user_group, (VALUES ('user_group.created', 70), ('user_group.deleted', 20)) AS event (action, age) WHERE id % 3 = 0;
    INSERT INTO embed_session_count (account_id, environment, user_group_id, day, api_key_id, count)
      SELECT account_id, environment, id, (now() AT TIME ZONE 'UTC')::date - (id % 100)::integer, 1, 1 + id % 5 FROM user_group;
    SET session_replication_role = origin`);
}

/** Adds up until nothing is left. */
async function addUp(times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    await rest("GET", { user_group_id: "any" });
    await service.services.usage.flush();
  }
}

test("the usage is the same before and after it is added up, also after further changes, and then takes few blocks", async (context) => {
  await fill();
  const before = await read();
  expect(before.usageDays.at(-1).userGroups).toBe(4000);
  expect(await service.query("SELECT FROM usage_day")).toEqual([]);
  await rest("GET", { user_group_id: "any" });
  await rest("DELETE", { current_token: (await rest("GET", { user_group_id: "any" })).body });
  const changed = await read();
  await addUp(16);
  const [stored] = await service.query(
    "SELECT count(*) >= 100 AS days, now() - max(counted_until) < interval '10 minutes' AS until FROM usage_day",
  );
  expect(stored).toEqual({ days: true, until: true });
  expect(await read()).toEqual(changed);

  await mutate("createUserGroup", { providedId: "later", name: "Later" });
  const { usageDays, auditDays } = await read();
  expect(usageDays.at(-1).userGroups).toBe(changed.usageDays.at(-1).userGroups + 1);
  expect(auditDays.at(-1).changes).toBe(changed.auditDays.at(-1).changes + 1);
  expect(usageDays.slice(0, -1)).toEqual(changed.usageDays.slice(0, -1));

  skipOnCitus(context, "plans");
  await service.query("VACUUM ANALYZE");
  const plans = recordPlans(service);
  await read();
  const blocks = plans
    .filter(({ text }) => text.includes("usage_day"))
    .map(({ plan }) => plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]);
  expect(blocks).toHaveLength(2);
  expect(Math.max(...blocks)).toBeLessThan(100);
});

test("processes that add up at the same time count nothing twice", async () => {
  const other = await startService({ use: service });
  const stored =
    "SELECT sum(changes)::integer AS changes, sum(embed_sessions)::integer AS sessions FROM usage_day";
  await service.query("DELETE FROM usage_day");
  await Promise.all(
    [service, other, service, other].map(async ({ services }) => {
      services.usage.recordCall({ tenant }, false);
      await services.usage.flush();
    }),
  );
  const [once] = await service.query(stored);
  await service.query("DELETE FROM usage_day");
  await addUp(1);
  const [again] = await service.query(stored);
  expect(once.changes).toBe(again.changes);
});

test("a number of groups that is wrong is corrected when the next day is added up", async () => {
  await service.query(
    "UPDATE usage_day SET user_groups = 1, counted_until = counted_until - interval '60 days', day = day - 1000 WHERE user_groups IS NOT NULL",
  );
  await service.query("DELETE FROM usage_day WHERE day > now() - interval '900 days'");
  await addUp(1);
  const { usageDays } = await read();
  const [{ count }] = await service.query(
    "SELECT count(*)::integer AS count FROM user_group WHERE account_id = $1",
    [account.accountId],
  );
  expect(usageDays.at(-1).userGroups).toBe(count);
});
