import { beforeEach, expect, test } from "vitest";
import { findCandidates, readFromIndex, removeBatch } from "../../../src/persistence/shared/purge-queries.js";
import { excessVersions } from "../../../src/persistence/user-groups/history.js";
import { startService } from "../../support/service/test-service.js";
import { createTenant, type WebhookTenant } from "../../support/webhooks/tenant.js";

const service = await startService({
  webhooks: { allowPrivate: true },
  retention: { siteConfigRevisions: 2, groupVersions: 150 },
});
let tenant: WebhookTenant;
beforeEach(async () => {
  tenant = await createTenant(service);
});

/** Runs a statement as a superuser with the tenant's account as $1. @returns its rows */
const query = (text: string, ...values: readonly unknown[]) =>
  service.query(text, [tenant.accountId, ...values]);

const run = async () => Object.fromEntries((await service.services.purgeJob.run()) ?? []);
const count = async () => Object.fromEntries(await service.services.purgeJob.count());

/** Returns the plan of a statement of the purge job. */
async function planOf(text: string, values: readonly unknown[] = []): Promise<string> {
  const scope = { accountId: tenant.accountId, environment: "Customer" } as const;
  const rows = await service.database.for(scope).transaction(async (transaction) => {
    await readFromIndex(transaction.raw);
    return transaction.run<{ "QUERY PLAN": string }>({ access: "write", text: `EXPLAIN ${text}` }, values);
  });
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

async function deleteGroup(providedId: string): Promise<void> {
  const remove = `mutation ($id: String!) {
    deleteUserGroup(input: { by: { providedId: $id } }) { userErrors { code } }
  }`;
  expect(await tenant.run(remove, { id: providedId })).toEqual({ deleteUserGroup: { userErrors: [] } });
}

test("audit entries are deleted after 400 days, in the order of their index", async () => {
  const filler = `INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name, created_at)
    SELECT $1, 'Customer', 'user_group.updated', n, n, '{}', 'test', now() - $2 * interval '1 day' FROM generate_series(1, $3) AS n`;
  await query(filler, 401, 2500);
  await query(filler, 399, 5000);
  await service.query("ANALYZE audit_entry");
  expect(await count()).toMatchObject({ audit_entries: 2500 });
  service.statements.length = 0;
  expect(await run()).toMatchObject({ audit_entries: 2500 });
  expect(
    await query(
      "SELECT count(*)::integer AS n FROM audit_entry WHERE account_id = $1 AND created_at < now() - interval '1 day'",
    ),
  ).toEqual([{ n: 5000 }]);
  const removals = service.statements.filter((text) => text.includes("DELETE FROM audit_entry"));
  expect(removals).toHaveLength(2);
  const inspection =
    service.statements.find((text) => /^SELECT \(SELECT[\s\S]*FROM audit_entry/.test(text)) ?? "";
  for (const text of [removals[0] ?? "", inspection]) {
    const plan = await planOf(text);
    expect(plan).toContain("audit_entry_created_at_ix");
    expect(plan).not.toContain("Seq Scan on audit_entry");
  }
});

test("former values beyond the newest 150 are deleted unless they are of the last day, and other groups are not read", async () => {
  for (const name of ["often", "today", "often enough", "gaps"]) await tenant.createGroup(name);
  const insert = (name: string, versions: string, age: string) =>
    query(
      `INSERT INTO user_group_history (account_id, environment, user_group_id, version, name, mapping_version, replaced_at, replaced_by)
      SELECT account_id, environment, id, n, 'former', 1, now() - interval '2 days' * ${age} + n * interval '1 second', 'test'
      FROM user_group, ${versions} AS n WHERE account_id = $1 AND provided_id LIKE $2`,
      name,
    );
  await insert("often", "generate_series(1, 5000)", "1");
  await insert("today", "generate_series(1, 5000)", "0.4");
  await insert("often enough", "generate_series(1, 150)", "1");
  await insert("gaps", "generate_series(101, 30101, 200)", "1");
  await query(`INSERT INTO user_group (account_id, environment, id, provided_id, name, token_ciphertext, token_key_id, token_lookup)
    SELECT account_id, environment, 1000000000 + n, 'rarely ' || n, name, token_ciphertext, token_key_id, decode(md5(n::text), 'hex')
    FROM user_group, generate_series(1, 5000) AS n WHERE account_id = $1 AND provided_id = 'often'`);
  await insert("rarely%", "generate_series(1, 3)", "1");
  await service.query("ANALYZE user_group_history");
  expect(await count()).toMatchObject({ user_group_versions: 4851 });

  service.statements.length = 0;
  const purge = {
    name: "user_group_versions",
    table: "user_group_history",
    isUnlockable: true,
    time: "replaced_at",
    maxAgeMs: 86_400_000,
    among: excessVersions(150),
  } as const;
  const scope = { accountId: tenant.accountId, environment: "Customer" } as const;
  const removed = service.database.for(scope).transaction(async (transaction) => {
    await readFromIndex(transaction.raw);
    const [candidates = null] = await findCandidates(transaction, purge);
    expect(candidates).toHaveLength(2);
    expect(await removeBatch(transaction, scope.accountId, purge, { limit: 100, candidates })).toBe(100);
    const text = `SELECT min(version) AS oldest, count(*)::integer AS count FROM user_group_history
      WHERE account_id = $1 AND environment = $2 AND user_group_id = (SELECT id FROM user_group
        WHERE account_id = $1 AND environment = $2 AND provided_id = 'often')`;
    const [often] = await transaction.run<{ oldest: number; count: number }>({ access: "write", text }, []);
    throw new Error(`Rolled back: ${Number(often?.oldest) + Number(often?.count)}`);
  });
  // The oldest are gone, without gaps.
  await expect(removed).rejects.toThrow("Rolled back: 5001");
  const [find = "", remove = ""] = service.statements.filter((text) => text.includes("AS chosen"));
  expect(await planOf(find)).toContain("user_group_history_version_ix");
  const removal = await planOf(remove, ["[]"]);
  expect(removal).toContain("user_group_history_pk");
  for (const plan of [await planOf(find), removal]) {
    expect(plan).not.toMatch(/Seq Scan on user_group_history|Sort/);
    expect(plan).not.toContain("user_group_history_replaced_at_ix");
  }

  service.statements.length = 0;
  expect(await run()).toMatchObject({ user_group_versions: 4851, user_group_history: 0 });
  expect(
    await query(`SELECT provided_id AS name, count(*)::integer AS rows, min(h.version) AS oldest
      FROM user_group_history h JOIN user_group g ON g.account_id = h.account_id AND g.environment = h.environment AND g.id = user_group_id
      WHERE h.account_id = $1 AND provided_id NOT LIKE 'rarely%' GROUP BY 1 ORDER BY 1`),
  ).toEqual([
    { name: "gaps", rows: 150, oldest: 301 },
    { name: "often", rows: 150, oldest: 4851 },
    { name: "often enough", rows: 150, oldest: 1 },
    { name: "today", rows: 5000, oldest: 1 },
  ]);
  const removals = service.statements.filter((text) =>
    /DELETE FROM user_group_history[\s\S]*chosen/.test(text),
  );
  expect(removals).toHaveLength(3);
});

test("counts of embed sessions and requests are deleted after 400 days, by their index", async () => {
  await tenant.createGroup("acme");
  await query(`INSERT INTO embed_session_count SELECT account_id, environment, id, current_date - n, key, 1
    FROM user_group, generate_series(1, 500) AS n, generate_series(1, 10) AS key WHERE account_id = $1`);
  await query(
    "INSERT INTO request_count SELECT $1, 'Customer', current_date - n, 1, 0 FROM generate_series(1, 500) AS n",
  );
  await service.query("ANALYZE embed_session_count, request_count");
  expect(await count()).toMatchObject({ embed_session_counts: 1010, request_counts: 101 });
  service.statements.length = 0;
  expect(await run()).toMatchObject({ embed_session_counts: 1010, request_counts: 101 });
  for (const [table, index] of [
    ["embed_session_count", "embed_session_count_day_ix"],
    ["request_count", "request_count_pk"],
  ]) {
    const removal = service.statements.find((text) => text.includes(`DELETE FROM ${table}\n`)) ?? "";
    expect(await planOf(removal)).toMatch(new RegExp(`Index (Only )?Scan using ${index}`));
  }
  await deleteGroup("acme");
  expect(await query("SELECT FROM embed_session_count WHERE account_id = $1")).toEqual([]);
});

test("the application role deletes no audit entry younger than 30 days, and writes only pseudonyms into entries", async () => {
  await tenant.createGroup("acme");
  const db = service.database.of({ accountId: tenant.accountId, environment: "Customer" });
  const change = (text: string) => db.run<{ id: number }>({ access: "write", text }, []);
  expect(await change("DELETE FROM audit_entry RETURNING id")).toEqual([]);
  for (const name of ["'other'", "'erased:' || repeat('x', 32)", "'erased:'"]) {
    await expect(change(`UPDATE audit_entry SET subject_name = ${name}`)).rejects.toThrow(
      "row-level security",
    );
  }
  await expect(change("UPDATE audit_entry SET actor_name = 'x'")).rejects.toThrow("permission denied");
  await query("UPDATE audit_entry SET created_at = now() - interval '31 days' WHERE account_id = $1");
  const others = "SELECT count(*)::integer AS n FROM audit_entry WHERE account_id <> $1";
  const before = await query(others);
  expect((await change("DELETE FROM audit_entry RETURNING id")).length).toBeGreaterThan(0);
  expect(await query(others)).toEqual(before);
});

test("a deleted group leaves no name after the purge window, and other groups keep theirs", async () => {
  await tenant.listen("http://127.0.0.1:1/hook");
  for (const id of ["jane.doe@example.org", "kept", "recent"]) await tenant.createGroup(id);
  await tenant.rename("jane.doe@example.org", "Jane");
  await deleteGroup("jane.doe@example.org");
  await query(
    `UPDATE webhook_delivery SET state = 'delivered', created_at = now() - interval '31 days' WHERE account_id = $1`,
  );
  await query("UPDATE audit_entry SET created_at = now() - interval '31 days' WHERE account_id = $1");
  // The same ID again: this group is another one.
  await tenant.createGroup("jane.doe@example.org");
  await deleteGroup("recent");
  expect(await count()).toMatchObject({ deleted_group_names: 1 });
  expect(await run()).toMatchObject({ deleted_group_names: 3, webhook_deliveries: 5 });
  expect(await run()).toMatchObject({ deleted_group_names: 0 });
  const entries = await query(
    "SELECT action, subject_name AS name FROM audit_entry WHERE account_id = $1 AND action LIKE 'user_group.%' ORDER BY id",
  );
  const pseudonym = expect.stringMatching(/^erased:[0-9a-f]{32}$/);
  expect(entries).toEqual([
    { action: "user_group.created", name: pseudonym },
    { action: "user_group.created", name: "kept" },
    { action: "user_group.created", name: "recent" },
    { action: "user_group.updated", name: pseudonym },
    { action: "user_group.deleted", name: pseudonym },
    { action: "user_group.created", name: "jane.doe@example.org" },
    { action: "user_group.deleted", name: "recent" },
  ]);
  expect(new Set([0, 3, 4].map((index) => entries[index]?.name)).size).toBe(1);
});

test("former values of user groups are deleted after 90 days, in the order of their index", async () => {
  await tenant.createGroup("acme");
  await tenant.rename("acme", "New");
  await tenant.rename("acme", "Newer");
  const filler = `INSERT INTO user_group_history SELECT account_id, environment, id, n, 'Old', NULL, 1, NULL, now() - $2 * interval '1 day', 'me'
    FROM user_group, generate_series(10, $3) AS n WHERE account_id = $1`;
  await query(filler, 91, 2600);
  const left = "SELECT version FROM user_group_history WHERE account_id = $1 ORDER BY 1";
  expect(await count()).toMatchObject({ user_group_history: 2591 });
  service.statements.length = 0;
  expect(await run()).toMatchObject({ user_group_history: 2591 });
  expect(await query(left)).toEqual([{ version: 1 }, { version: 2 }]);
  const [removal = ""] = service.statements.filter((text) => text.includes("DELETE FROM user_group_history"));
  const scope = { accountId: tenant.accountId, environment: "Customer" } as const;
  const rows = await service.database.for(scope).transaction(async (transaction) => {
    await readFromIndex(transaction.raw);
    return transaction.run<{ "QUERY PLAN": string }>({ access: "write", text: `EXPLAIN ${removal}` }, []);
  });
  expect(rows.map((row) => row["QUERY PLAN"]).join()).toContain("user_group_history_replaced_at_ix");
});

test("API keys are deleted 400 days after they were revoked or expired", async () => {
  const keys =
    "INSERT INTO api_key (account_id, environment, scope, name, hash, hint, revoked_at, expires_at)";
  await query(
    `${keys} SELECT $1, 'Customer', 'read', name, name::bytea, 'x', revoked, expires FROM (VALUES
      ('revoked', now() - interval '401 days', NULL), ('recent', now() - interval '399 days', NULL),
      ('expired', NULL, now() - interval '401 days'), ('valid', NULL, now() + interval '1 day')
    ) AS key (name, revoked, expires)`,
  );
  expect(await run()).toMatchObject({ api_keys: 2 });
  expect(await query("SELECT name FROM api_key WHERE account_id = $1 ORDER BY id")).toEqual([
    { name: "test" },
    { name: "recent" },
    { name: "valid" },
  ]);
});

test("old revisions and those of deleted sites are deleted; a site created again continues its numbers", async () => {
  const mutation = `mutation ($site: String!, $document: JSON!) {
    putSiteConfig(input: { site: $site, source: { document: $document } }) { siteConfig { revision } userErrors { code message } }
  }`;
  const save = async (site: string, name: string) =>
    (
      await tenant.run(mutation, {
        site,
        document: {
          name,
          favicon: "/f.png",
          colors: { primary: "#0a7" },
          navigation: [{ group: "A", pages: ["a"] }],
        },
      })
    ).putSiteConfig;
  for (const name of ["1", "2", "3", "4"]) await save("live", name);
  await save("deleted", "1");
  await save("deleted", "2");
  await tenant.run('mutation { deleteSiteConfig(input: { site: "deleted" }) { userErrors { code } } }');
  const deletedFor = (days: number) =>
    query(
      "UPDATE site_config SET deleted_at = now() - $2 * interval '1 day' WHERE account_id = $1 AND deleted_at IS NOT NULL",
      days,
    );
  await deletedFor(89);
  expect(await run()).toMatchObject({ site_config_revisions: 2, deleted_site_configs: 0 });
  await deletedFor(91);
  expect(await run()).toMatchObject({ site_config_revisions: 0, deleted_site_configs: 2 });
  expect(
    await query(
      "SELECT site, r.revision FROM site_config_revision r JOIN site_config s USING (account_id, environment) WHERE r.account_id = $1 AND s.id = site_config_id ORDER BY 2",
    ),
  ).toEqual([
    { site: "live", revision: 3 },
    { site: "live", revision: 4 },
  ]);
  expect(await save("deleted", "again")).toMatchObject({ siteConfig: { revision: 3 }, userErrors: [] });
});
