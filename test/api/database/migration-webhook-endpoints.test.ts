import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { useMigrationDatabase } from "../../support/postgres/migration-database.js";

const HEALTH = "WebhookEndpointHealth1764821000000";
const migrations = useMigrationDatabase();

test("down deletes soft-deleted endpoints and their deliveries for an owner without superuser rights, and up works again", async () => {
  const { query, up, downTo } = migrations();
  await up();
  await query("INSERT INTO account (name, token_key_id) VALUES ('one', 'k')");
  await query(`INSERT INTO webhook_endpoint (account_id, environment, name, url, events, secret_key_id, secret_ciphertext, deleted_at)
    SELECT account.id, 'Customer', given.name, 'https://93.184.216.34/', '{}', 'k', '', deleted_at
    FROM account, (VALUES ('stays', NULL), ('deleted', now())) AS given (name, deleted_at)`);
  await query(`INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload)
    SELECT account_id, environment, id, gen_random_uuid(), 'user_group.updated', 'user_group:1', '{}' FROM webhook_endpoint`);
  const audited = await query("SELECT count(*) FROM audit_entry");
  const endpoints = () =>
    query(`SELECT name, count(delivery.id)::integer AS deliveries FROM webhook_endpoint AS endpoint
      LEFT JOIN webhook_delivery AS delivery ON endpoint_id = endpoint.id GROUP BY name`);
  expect(await endpoints()).toHaveLength(2);
  await downTo(HEALTH);
  expect(await endpoints()).toEqual([{ name: "stays", deliveries: 1 }]);
  expect(await query("SELECT count(*)::integer AS n FROM webhook_delivery")).toEqual([{ n: 1 }]);
  // Their deletion is already in the audit log.
  expect(await query("SELECT count(*) FROM audit_entry")).toEqual(audited);
  const unforced = "SELECT relname FROM pg_class WHERE relrowsecurity AND NOT relforcerowsecurity";
  expect(await query(unforced)).toEqual([]);
  await up();
  expect(await endpoints()).toEqual([{ name: "stays", deliveries: 1 }]);
  expect(await query(unforced)).toEqual([]);
});

test("up keeps the indexes that the guide builds beforehand, which equal its own", async () => {
  const { query, up, downTo } = migrations();
  const guide = readFileSync(new URL("../../../docs/upgrading.md", import.meta.url), "utf8");
  const statements = guide.match(/^CREATE INDEX CONCURRENTLY IF NOT EXISTS [^;]*;$/gm) ?? [];
  expect(statements).toHaveLength(10);
  const names = statements.map((statement) => statement.split(/\s+/)[6]);
  const definitions = () =>
    query("SELECT indexname, indexdef FROM pg_indexes WHERE indexname = ANY ($1) ORDER BY indexname", [
      names,
    ]);
  const ids = () =>
    query("SELECT oid::text, relname FROM pg_class WHERE relname = ANY ($1) ORDER BY relname", [names]);
  await up();
  const migrated = await definitions();
  expect(migrated).toHaveLength(names.length);
  await downTo("DataSourcesByEnvironment1764800000000");
  expect(await ids()).toEqual([]);
  for (const statement of statements) await query(statement);
  const built = await ids();
  // Later migrations rewrite the tables.
  await up("AuditRequests1764930000000");
  expect(await ids()).toEqual(built);
  await up();
  expect(await definitions()).toEqual(migrated);
});
