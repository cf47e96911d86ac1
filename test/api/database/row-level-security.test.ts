import { randomUUID } from "node:crypto";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Database } from "../../../src/persistence/database/database.js";
import { currentRole, rowSecurityBypass } from "../../../src/persistence/database/runtime-role.js";
import { clientOptions } from "../../../src/persistence/shared/database-options.js";
import type { RowScope } from "../../../src/persistence/shared/row-scope.js";
import { skipOnCitus } from "../../support/citus/skip-on-citus.js";
import { startGraphql } from "../../support/graphql/graphql-fixture.js";
import { createUserGroup, entry } from "../../support/graphql/user-group-operations.js";
import { changeSite, goodSite } from "../../support/site-configs/store.js";

const graphql = await startGraphql({ publicUrl: "https://groups.example.com" });
const { account, keys, service, strangerKey } = graphql;
const POOL = { poolSize: 1, connectTimeoutMs: 5000, statementTimeoutMs: 5000 };
const TENANT_TABLES = [
  "data_source",
  "user_group",
  "user_group_history",
  "mapping_entry",
  "embed_session_count",
  "request_count",
  "usage_day",
  "site_config",
  "site_config_revision",
  "session_template",
  "template_signing_key",
  "bulk_change",
  "property_schema",
];
const TABLES = [
  ...TENANT_TABLES,
  "account",
  "api_key",
  "audit_entry",
  "brought_token",
  "idempotent_request",
  "webhook_endpoint",
  "webhook_delivery",
  "signing_key",
  "ended_console_session",
];

const AUDIT = `INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_name)
  VALUES ($1, 'Customer', 'api_key.created', 1, 'x', '{}', 'x')`;

beforeAll(async () => {
  for (const key of [keys.admin, keys.testing, strangerKey]) {
    await createUserGroup(graphql, "acme", { mapping: [entry("sales", "sales")] }, key);
    await graphql.mutate("createEmbedSession", { by: { providedId: "acme" } }, "", key);
    await graphql.rest("PUT", { user_group_id: "acme", name: "New" }, key);
    const template = { name: "cube", algorithm: "ES256", claims: {} };
    await graphql.mutate("createSessionTemplate", template, "", key);
    await graphql.mutate("setPropertySchema", { schema: { type: "object" }, mode: "WARN" }, "", key);
    const change = { userGroups: [{ providedId: "acme" }], propertiesPatch: { plan: "team" } };
    await graphql.mutate("updateUserGroups", { ...change, bulkChangeId: randomUUID() }, "", key);
    await changeSite(graphql, "put", { document: goodSite }, key);
  }
  await service.services.usage.flush();
  await service.query("INSERT INTO usage_day SELECT account_id, environment, day, 1, 0 FROM request_count");
});

const all = async (scope: RowScope, table: string) =>
  service.database
    .of(scope)
    .run<{ account_id?: number; environment?: string; id?: number }>(
      { access: "read", text: `SELECT * FROM ${table}` },
      [],
    );

describe("a statement without WHERE", () => {
  test.each(TENANT_TABLES)("finds only the tenant's rows in %s", async (table) => {
    const scope = { accountId: account.accountId, environment: "Customer" } as const;
    const rows = await all(scope, table);
    expect(rows.length).toBeGreaterThan(0);
    expect(await service.query(`SELECT * FROM ${table}`)).not.toHaveLength(rows.length);
    for (const row of rows) {
      expect(row.account_id).toBe(account.accountId);
      if (row.environment !== undefined) expect(row.environment).toBe("Customer");
    }
  });

  test.each([...TENANT_TABLES, "audit_entry"])(
    "finds nothing in %s without a tenant or for the operator",
    async (table) => {
      const { accountId, name } = account;
      const unscoped = { access: "read", text: `SELECT * FROM ${table}` } as const;
      for (let repeat = 0; repeat < 2; repeat += 1) {
        expect(await service.database.run(unscoped, [])).toEqual([]);
        for (const scope of ["operator", { accountName: name }, { accountId }] as const) {
          expect(await all(scope, table)).toEqual([]);
        }
      }
    },
  );

  test("finds the account by tenant or name, the tenant's keys, and everything for the operator", async () => {
    const { accountId, name } = account;
    expect((await all({ accountId }, "account")).map(({ id }) => id)).toEqual([accountId]);
    expect((await all({ accountName: name }, "account")).map(({ id }) => id)).toEqual([accountId]);
    const keys = await all({ accountId, environment: "Testing" }, "api_key");
    expect(keys).toMatchObject([{ account_id: accountId, environment: "Testing" }]);
    expect(await all({ accountId }, "api_key")).toEqual([]);
    expect(await all({ accountName: name }, "api_key")).toEqual([]);
    for (const table of ["account", "api_key"]) {
      const { length } = await service.query(`SELECT * FROM ${table}`);
      expect(await all("operator", table)).toHaveLength(length);
      expect(await service.database.run({ access: "read", text: `SELECT * FROM ${table}` }, [])).toEqual([]);
    }
  });

  test("cannot write into another tenant's rows", async () => {
    const [other] = await service.query("SELECT id FROM account WHERE id <> $1", [account.accountId]);
    const scope = { accountId: account.accountId, environment: "Customer" } as const;
    const insert =
      "INSERT INTO data_source (account_id, environment, provided_id, name) VALUES ($1, 'Customer', 'x', 'x')";
    for (const [text, id] of [
      [insert, other.id],
      [insert.replace("Customer", "Testing"), account.accountId],
      [AUDIT, other.id],
    ]) {
      const writing = service.database.of(scope).run({ access: "write", text }, [id]);
      await expect(writing).rejects.toThrow("row-level security");
    }
    const move = "UPDATE user_group SET environment = 'Testing'";
    await expect(service.database.of(scope).run({ access: "write", text: move }, [])).rejects.toThrow(
      "row-level security",
    );
  });
});

describe("the application role", () => {
  let client: Client;
  beforeAll(async () => {
    client = new Client(clientOptions(service.target));
    await client.connect();
    const scope =
      "set_config('app.account_id', '1', false), set_config('app.environment', 'Customer', false)";
    await client.query(`SELECT ${scope}`);
  });
  afterAll(() => client.end());

  test.for([
    "CREATE TABLE x (id integer)",
    "ALTER TABLE user_group DISABLE ROW LEVEL SECURITY",
    "DROP POLICY user_group_scope ON user_group",
    "TRUNCATE user_group CASCADE",
    "UPDATE embed_session_count SET day = day - 1",
    "UPDATE request_count SET day = day - 1",
    "UPDATE usage_day SET day = day - 1",
    "UPDATE site_config_revision SET text = ''",
    "UPDATE user_group_history SET name = 'x'",
    "DELETE FROM site_config",
    "DELETE FROM account",
    "UPDATE audit_entry SET created_at = now() - interval '1 year'",
    "UPDATE account SET name = 'x'",
    "INSERT INTO schema_migration (timestamp, name) VALUES (1, 'x')",
  ])("cannot: %s", async (statement, context) => {
    if (statement.startsWith("UPDATE account ")) skipOnCitus(context, "accounts");
    await expect(client.query(statement)).rejects.toThrow(/permission denied|must be owner/);
  });

  test("sees each table through its policy, as its owner does", async () => {
    const rows = await service.query(`SELECT relname AS name FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relrowsecurity AND relforcerowsecurity`);
    expect(rows.map(({ name }: { name: string }) => name).toSorted()).toEqual(TABLES.toSorted());
  });

  test("is distinguished from a role that bypasses the policies", async () => {
    expect(rowSecurityBypass(await currentRole(service.database))).toBeNull();
    const owner = await Database.connect({ ...POOL, target: service.owner });
    try {
      expect(rowSecurityBypass(await currentRole(owner))).toContain("is a superuser");
    } finally {
      await owner.close();
    }
  });
});

test("the scope ends with its statement, even a failed one, and connections stay usable", async () => {
  const scope = { accountId: account.accountId, environment: "Customer" } as const;
  const reader = service.database.of(scope);
  for (let repeat = 0; repeat < 20; repeat += 1) {
    await expect(
      reader.run({ access: "read", text: "SELECT 1 / ($1::integer - $1::integer)" }, [1]),
    ).rejects.toThrow("zero");
    await expect(
      reader.run({ name: "faulty", access: "read", text: "SELECT nothing FROM nowhere" }, []),
    ).rejects.toThrow();
    expect(await service.database.run({ access: "read", text: "SELECT * FROM user_group" }, [])).toEqual([]);
    expect(
      await reader.run({ name: "test_own_groups", access: "read", text: "SELECT id FROM user_group" }, []),
    ).toHaveLength(1);
    expect(await reader.run({ access: "read", text: "SELECT name FROM user_group WHERE false" }, [])).toEqual(
      [],
    );
  }
});

test("the scope also holds without prepared statements", async () => {
  const database = await Database.connect({ ...POOL, target: service.target, pooled: true });
  try {
    const rows = await database
      .of({ accountId: account.accountId, environment: "Testing" })
      .run<{ environment: string }>(
        { name: "named", access: "read", text: "SELECT environment FROM user_group" },
        [],
      );
    expect(rows).toEqual([{ environment: "Testing" }]);
    const { rows: prepared } = await database.entities({ accountId: account.accountId }, async (manager) => ({
      rows: await manager.query("SELECT name FROM pg_prepared_statements"),
    }));
    expect(prepared).toEqual([]);
  } finally {
    await database.close();
  }
});
