import { expect, test } from "vitest";
import { useMigrationDatabase } from "../../support/postgres/migration-database.js";

const MIGRATION = "EmbedScope1764802000000";
const migrations = useMigrationDatabase();

test("API keys with the scope read become embed keys, and read keys again on down", async () => {
  const { query, up, downTo } = migrations();
  const scopes = () => query("SELECT name, scope FROM api_key ORDER BY id");
  await up();
  await downTo(MIGRATION);
  await query(`INSERT INTO account (name, token_key_id) VALUES ('one', 'k');
    INSERT INTO api_key (account_id, environment, scope, name, hash, hint)
    SELECT account.id, 'Customer', scope, scope, decode(md5(scope::text), 'hex'), ''
    FROM account, unnest(enum_range(NULL::api_key_scope)) AS scope`);
  const before = await scopes();
  expect(before).toHaveLength(3);
  await up();
  const after = before.map(({ name, scope }: { name: string; scope: string }) => ({
    name,
    scope: scope === "read" ? "embed" : scope,
  }));
  expect(await scopes()).toEqual(after);
  await query("UPDATE api_key SET scope = 'read' WHERE name = 'write'");
  await downTo(MIGRATION);
  const changed = before.map((key: { name: string }) =>
    key.name === "write" ? { ...key, scope: "read" } : key,
  );
  expect(await scopes()).toEqual(changed);
});
