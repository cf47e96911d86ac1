import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { skipOnCitus } from "../../support/citus/skip-on-citus.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { blocksOf, recordPlans } from "../../support/postgres/plan-recorder.js";
import { startService } from "../../support/service/test-service.js";
import { avoidMidnight } from "../../support/service/utc-day.js";

await avoidMidnight();

const { account, keys, mutate, rest, run, service } = await startGraphql();
const tenant = { accountId: account.accountId, environment: "Customer" } as const;
const GROUPS = 30_000;

const QUERY = `{ usageDays(days: 90) { date userGroups embedSessions } auditDays(days: 90) { date changes }
  apiKeys(first: 10) { nodes { name auditDays { date changes } } } }`;
const read = () => run(QUERY, {}, keys.admin);
const operations = await Promise.all(
  ["overview", "administration"].map((name) =>
    readFile(`console/src/api/operations/${name}.graphql`, "utf8"),
  ),
);

/** Opens the console's overview. */
async function openOverview(): Promise<void> {
  const [overview = "", administration = ""] = operations;
  const [all = "", admin = ""] = overview.split(/(?=query AdminOverview)/);
  const [fragment = ""] = administration.split(/(?=^query|^mutation)/m);
  await run(all, {}, keys.admin);
  await run(`${admin} ${fragment}`, { changes: ["USER_GROUP_CREATED", "USER_GROUP_UPDATED"] }, keys.admin);
}

/** Time of the server, in minutes before now. Citus accepts constants only. */
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

/** Creates groups with entries and sessions of the last 100 days, a third of the sessions of today, and entries of deleted groups. */
async function fill(): Promise<void> {
  const [{ id: key }] = await service.query("SELECT min(id) AS id FROM api_key");
  const today = ago(0).slice(0, 10);
  await service.query(`
    SET session_replication_role = replica;
    INSERT INTO user_group (account_id, environment, id, provided_id, name, token_key_id, token_ciphertext, token_lookup)
      SELECT ${account.accountId}, 'Customer', nextval('user_group_team_id'), 'old ' || n, 'Name', 'none', '',
        sha256(convert_to(n::text, 'UTF8')) FROM generate_series(1, ${GROUPS}) AS n;
    INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name, actor_key_id, created_at)
      SELECT account_id, environment, action, id, provided_id, '{}', 'test', ${key} + id % 3,
        timestamptz '${ago(60)}' - (id % 100) * interval '24 hours' + later + id * interval '1 ms' AS created_at
      FROM user_group, (VALUES ('user_group.created', interval '0'), ('user_group.updated', interval '1 minute'),
        ('user_group.embed_session_created', interval '2 minutes')) AS event (action, later)
      WHERE account_id = ${account.accountId} ORDER BY created_at;
    INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name, created_at)
      SELECT account_id, environment, event.action, id + 100000, provided_id, '{}', 'test', timestamptz '${ago(0)}' - event.age * interval '24 hours'
      FROM user_group, (VALUES ('user_group.created', 70), ('user_group.deleted', 20)) AS event (action, age)
      WHERE account_id = ${account.accountId} AND id % 3 = 0;
    INSERT INTO embed_session_count (account_id, environment, user_group_id, day, api_key_id, count)
      SELECT account_id, environment, id, date '${today}' - CASE WHEN id % 3 = 0 THEN 0 ELSE id % 100 END::integer,
        ${key} + id % 3, 1 + id % 5 FROM user_group WHERE account_id = ${account.accountId};
    SET session_replication_role = origin`);
}

/** Adds up as if five minutes had passed. */
async function addUpLater(): Promise<void> {
  await service.query(`UPDATE usage_day SET sessions_until = '${ago(6)}' WHERE sessions_until > '${ago(6)}'`);
  service.services.usage.recordRead(tenant);
  await service.services.usage.addUp();
}

test("the usage is the same before and after it is added up, also after further changes", async () => {
  await fill();
  const { user_group: group } = Object((await rest("GET", { user_group_id: "any", name: "Any" })).body);
  await rest("DELETE", { current_token: group.token });
  const before = await read();
  expect(before.usageDays.at(-1).userGroups).toBe(GROUPS);
  expect(await service.query("SELECT FROM usage_day")).toEqual([]);

  // Reading is enough: an account without calls is added up as well.
  await service.services.usage.addUp();
  const [stored] = await service.query(
    "SELECT count(DISTINCT day) >= 100 AS days, now() - max(counted_until) < interval '10 minutes' AS until, max(user_groups) AS groups FROM usage_day",
  );
  expect(stored).toMatchObject({ days: true, until: true });
  expect(Number(stored.groups)).toBe(GROUPS);
  expect(await read()).toEqual(before);

  await mutate("createUserGroup", { providedId: "later", name: "Later" });
  const { usageDays, auditDays } = await read();
  expect(usageDays.at(-1).userGroups).toBe(GROUPS + 1);
  expect(auditDays.at(-1).changes).toBe(before.auditDays.at(-1).changes + 1);
  expect(usageDays.slice(0, -1)).toEqual(before.usageDays.slice(0, -1));
});

test("usage and the console's overview read few blocks and write no temporary file", async (context) => {
  skipOnCitus(context, "plans");
  await service.query("VACUUM ANALYZE");
  const added = "CREATE TABLE added AS SELECT * FROM usage_day; DELETE FROM usage_day";
  await service.query(added);
  const plans = recordPlans(service);
  await read();
  // Shows that the limits below are lower than what reading all rows takes.
  expect(blocksOf(plans)).toBeGreaterThan(3_000);
  await service.query("INSERT INTO usage_day SELECT * FROM added; DROP TABLE added");
  await service.query("VACUUM ANALYZE usage_day");
  // Fewer are not worth adding up.
  await service.query(
    `INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name)
      SELECT account_id, environment, 'user_group.updated', id, 'old', '{}', 'test' FROM user_group LIMIT 900`,
  );

  for (const [open, limit] of [
    [openOverview, 500],
    [read, 1_000],
  ] as const) {
    plans.length = 0;
    await open();
    expect(plans.length).toBeGreaterThan(2);
    expect(blocksOf(plans)).toBeLessThanOrEqual(limit);
    expect(plans.filter(({ plan }) => plan["Temp Written Blocks"] > 0)).toEqual([]);
  }
});

test("embed sessions of today are added up anew after five minutes, and former days until they are over", async () => {
  const sessions = async (): Promise<number[]> =>
    (await read()).usageDays.map((day: { embedSessions: number }) => day.embedSessions);
  const before = await sessions();
  await mutate("createEmbedSession", { by: { providedId: "later" } });
  expect(await sessions()).toEqual(before);
  await addUpLater();
  const after = [...before.slice(0, -1), Number(before.at(-1)) + 1];
  expect(await sessions()).toEqual(after);

  // As if added up for the last time ten minutes before the day began, which missed sessions.
  const today = ago(0).slice(0, 10);
  await service.query(`
    UPDATE usage_day SET embed_sessions = 0, sessions_until = NULL WHERE day = date '${today}';
    UPDATE usage_day SET embed_sessions = 0, sessions_until = timestamptz '${today} 00:00Z' - interval '10 minutes'
      WHERE day = date '${today}' - 1`);
  await addUpLater();
  expect(await sessions()).toEqual(after);
});

test("processes that add up at the same time count nothing twice", async () => {
  const other = await startService({ use: service });
  const stored =
    "SELECT sum(changes)::integer AS changes, sum(embed_sessions)::integer AS sessions FROM usage_day";
  const addUpIn = async (services: typeof service.services) => {
    services.usage.recordRead(tenant);
    await services.usage.addUp();
  };
  await service.query("DELETE FROM usage_day");
  await Promise.all([service, other, service, other].map(({ services }) => addUpIn(services)));
  const [once] = await service.query(stored);
  await service.query("DELETE FROM usage_day");
  await addUpIn(service.services);
  const [again] = await service.query(stored);
  expect(once).toEqual(again);
  expect(Number(once.changes)).toBeGreaterThan(GROUPS);
});

test("a number of groups that is wrong is corrected when the next day is added up", async () => {
  await service.query(`DELETE FROM usage_day WHERE day <> date '${ago(0).slice(0, 10)}' OR api_key_id <> 0`);
  // As if added up for the last time two months ago.
  await service.query(
    `UPDATE usage_day SET user_groups = 1, counted_until = '${ago(86_400)}', day = date '${ago(86_400).slice(0, 10)}' WHERE user_groups IS NOT NULL`,
  );
  await addUpLater();
  const { usageDays } = await read();
  expect(usageDays.at(-1).userGroups).toBe(GROUPS + 1);
});

test("the groups of an account without changes are counted once", async () => {
  await service.query(`DELETE FROM usage_day; DELETE FROM audit_entry WHERE created_at < '${ago(10)}'`);
  await addUpLater();
  expect(await service.query("SELECT FROM usage_day WHERE user_groups IS NOT NULL")).toHaveLength(1);
  expect((await read()).usageDays.at(-1).userGroups).toBe(GROUPS + 1);
});
