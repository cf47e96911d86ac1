import { beforeAll, expect, test } from "vitest";
import { TENANT_TABLES } from "../../../src/persistence/transfer/account-deletion-queries.js";
import { AccountDeletion } from "../../../src/services/transfer/account-data.js";
import { createMigrationDatabase } from "../../support/postgres/migration-database.js";

const { database, query, up } = await createMigrationDatabase();
const ENTRIES = 4500;

/** Rows of every table for the environments of two accounts. */
const ROWS = `
  INSERT INTO account (name, token_key_id) VALUES ('one', 'k'), ('two', 'k');
  CREATE TEMP TABLE tenant AS SELECT id AS account_id, environment::environment FROM account, (VALUES ('Customer'), ('Testing')) AS each (environment);
  INSERT INTO api_key (account_id, environment, scope, name, hash, hint) SELECT *, 'admin', 'key', environment::text::bytea, 'x' FROM tenant;
  INSERT INTO data_source (account_id, environment, provided_id, name) SELECT *, 'sales', 'Sales' FROM tenant;
  INSERT INTO user_group (account_id, environment, id, provided_id, name, token_key_id, token_ciphertext, token_lookup)
    SELECT *, account_id, 'acme', 'Acme', 'k', '', environment::text::bytea FROM tenant;
  INSERT INTO mapping_entry SELECT account_id, environment, account_id, 'sales', id FROM data_source;
  INSERT INTO embed_session_count SELECT *, account_id, current_date, 1, 1 FROM tenant;
  INSERT INTO request_count SELECT *, current_date, 1, 0 FROM tenant;
  INSERT INTO usage_day SELECT *, current_date, 1, 0 FROM tenant;
  INSERT INTO user_group_history SELECT *, account_id, 1, 'Old', NULL, 1, NULL, now(), 'me' FROM tenant;
  INSERT INTO bulk_change (account_id, environment, change_id, changed, author_name, fingerprint)
    SELECT *, gen_random_uuid(), '{properties}', 'me', '' FROM tenant;
  INSERT INTO property_schema (account_id, environment, mode, version) SELECT *, 'OFF', 1 FROM tenant;
  INSERT INTO brought_token SELECT *, account_id, 'lookup' FROM tenant;
  INSERT INTO site_config (account_id, environment, site, revision, size) SELECT *, 'docs', 1, 2 FROM tenant;
  INSERT INTO site_config_revision (account_id, environment, site_config_id, revision, text, hash, author)
    SELECT account_id, environment, id, 1, '{}', '', 'me' FROM site_config;
  INSERT INTO webhook_endpoint (account_id, environment, name, url, events, secret_key_id, secret_ciphertext)
    SELECT *, 'hook', 'https://93.184.216.34/', '{}', 'k', '' FROM tenant;
  INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload)
    SELECT account_id, environment, id, gen_random_uuid(), 'user_group.updated', 'user_group:1', '{}' FROM webhook_endpoint;
  INSERT INTO idempotent_request (account_id, environment, key, fingerprint) SELECT *, 'key', '' FROM tenant;
  INSERT INTO session_template (account_id, environment, name, description, algorithm, header, claims, lifetime_seconds, secret_key_id,
    secret_ciphertext, secret_lookup) SELECT *, 'metabase', '', 'HS256', '{}', '{}', 600, 'k', 'secret', environment::text::bytea FROM tenant;
  INSERT INTO template_signing_key (account_id, environment, id, algorithm, public_key, private_key_id, private_key_ciphertext, signs_from)
    SELECT *, 'kid', 'ES256', '{}', 'k', 'key', now() FROM tenant;
  INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name)
    SELECT tenant.*, 'api_key.created', 1, 'key', '{}', 'me' FROM tenant, generate_series(1, ${ENTRIES})`;

/** Rows by table of an account; tables from the catalog, so that none is forgotten. */
async function rowsOf(accountId: number): Promise<Readonly<Record<string, number>>> {
  const tables =
    await query(`SELECT attrelid::regclass::text AS name FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE attname = 'account_id' AND relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace ORDER BY 1`);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [{ n }] = await query(`SELECT count(*)::integer AS n FROM ${name} WHERE account_id = $1`, [
      accountId,
    ]);
    counts[name] = n;
  }
  return counts;
}

beforeAll(async () => {
  await up();
  await query(ROWS);
});

test("an owner without superuser rights deletes an account completely, in batches, also after an interruption", async () => {
  const deletion = new AccountDeletion(database);
  expect(await deletion.isAllowed()).toBe(true);
  const [before, other] = [await rowsOf(1), await rowsOf(2)];
  expect(Object.keys(before)).toEqual(TENANT_TABLES.toSorted());
  for (const [table, count] of Object.entries(before)) expect(count, table).toBeGreaterThan(0);
  expect(Object.fromEntries(await deletion.count(1))).toEqual(before);

  const interruption = new AbortController();
  const stopAt = (rows: number) => rows > ENTRIES && interruption.abort();
  expect(await deletion.run(1, interruption.signal, stopAt)).toBeNull();
  expect(await query("SELECT id FROM api_key WHERE account_id = 1 AND revoked_at IS NULL")).toEqual([]);
  expect((await rowsOf(1))["audit_entry"]).toBeGreaterThan(0);
  const progress: number[] = [];
  const deleted = await deletion.run(1, new AbortController().signal, (rows) => progress.push(rows));
  expect(deleted).toBe((progress.at(-1) ?? 0) + 1);
  expect(Math.max(...progress.map((rows, index) => rows - (progress[index - 1] ?? 0)))).toBeLessThanOrEqual(
    2000,
  );
  for (const [table, count] of Object.entries(await rowsOf(1))) expect(count, table).toBe(0);
  expect(await query("SELECT name FROM account")).toEqual([{ name: "two" }]);
  expect(await rowsOf(2)).toEqual(other);
});
