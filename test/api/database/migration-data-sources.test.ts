import { beforeAll, beforeEach, expect, test } from "vitest";
import { useMigrationDatabase } from "../../support/postgres/migration-database.js";

const MIGRATION = "DataSourcesByEnvironment1764800000000";
const migrations = useMigrationDatabase();
let before: readonly unknown[];

/** The data source of each mapping entry. @param environmentJoin how a data source is joined to a mapping entry */
const mappings = (environmentJoin = "") =>
  migrations().query(`SELECT account_id, mapping_entry.environment, user_group_id, schema_id, provided_id, name, created_at
    FROM mapping_entry JOIN data_source USING (account_id)
    WHERE data_source.id = data_source_id ${environmentJoin} ORDER BY 1, 2, 3, 4`);

const sources = (columns: string) =>
  migrations().query(`SELECT DISTINCT ${columns} FROM data_source ORDER BY ${columns}`);

beforeAll(async () => {
  const { query, up, downTo } = migrations();
  await up();
  await downTo(MIGRATION);
  await query("INSERT INTO account (name, token_key_id) VALUES ('one', 'k'), ('two', 'k')");
  await query(`INSERT INTO user_group (account_id, environment, id, provided_id, name, token_key_id, token_ciphertext, token_lookup)
    SELECT account.id, environment, nextval('user_group_team_id'), 'acme', 'Acme', 'k', '', decode(md5(random()::text), 'hex')
    FROM account, unnest(enum_range(NULL::environment)) AS environment`);
  await query(`SET app.environment = 'Customer'; INSERT INTO data_source (account_id, provided_id, name, created_at)
    SELECT id, source, initcap(source) || ' of ' || name, '2025-01-01'
    FROM account, unnest(ARRAY['both', 'customer', 'testing', 'nobody']) WITH ORDINALITY AS given (source, place)
    ORDER BY id, place`);
  await query(`INSERT INTO mapping_entry (account_id, environment, user_group_id, schema_id, data_source_id)
    SELECT account_id, environment, user_group.id, data_source.provided_id, data_source.id
    FROM user_group JOIN data_source USING (account_id)
    WHERE data_source.provided_id IN ('both', lower(environment::text))`);
  await query("DELETE FROM audit_entry");
  before = await mappings();
  expect(before).toHaveLength(8);
});

beforeEach(async () => {
  await migrations().up();
});

test("every mapping refers to a data source of its own environment with the same external ID and name", async () => {
  const after = await mappings("AND data_source.environment = mapping_entry.environment");
  expect(after).toEqual(before);
  expect(await migrations().query("SELECT count(*)::integer AS n FROM mapping_entry")).toEqual([{ n: 8 }]);
});

test("a data source is copied to the environments that map it, or to both if none does, and keeps its ID in one", async () => {
  expect(await sources("account_id, environment, provided_id, id")).toEqual([
    { account_id: 1, environment: "Customer", provided_id: "both", id: 1 },
    { account_id: 1, environment: "Customer", provided_id: "customer", id: 2 },
    { account_id: 1, environment: "Customer", provided_id: "nobody", id: 4 },
    { account_id: 1, environment: "Testing", provided_id: "both", id: 9 },
    { account_id: 1, environment: "Testing", provided_id: "nobody", id: 10 },
    { account_id: 1, environment: "Testing", provided_id: "testing", id: 3 },
    { account_id: 2, environment: "Customer", provided_id: "both", id: 5 },
    { account_id: 2, environment: "Customer", provided_id: "customer", id: 6 },
    { account_id: 2, environment: "Customer", provided_id: "nobody", id: 8 },
    { account_id: 2, environment: "Testing", provided_id: "both", id: 11 },
    { account_id: 2, environment: "Testing", provided_id: "nobody", id: 12 },
    { account_id: 2, environment: "Testing", provided_id: "testing", id: 7 },
  ]);
  expect(await sources("created_at")).toHaveLength(1);
  // The migration is not a change by a caller: the audit log has no entries for it, and works afterwards.
  expect(await migrations().query("SELECT * FROM audit_entry")).toEqual([]);
  await migrations().query("UPDATE data_source SET name = name WHERE id = 9");
  expect(await migrations().query("SELECT environment FROM audit_entry")).toEqual([
    { environment: "Testing" },
  ]);
});

test("the foreign key rejects a mapping to a data source of the other environment", async () => {
  const move = "UPDATE mapping_entry SET data_source_id = 1 WHERE environment = 'Testing' AND account_id = 1";
  await expect(migrations().query(move)).rejects.toThrow("mapping_entry_data_source_fk");
});

test("down merges the copies", async () => {
  await migrations().downTo(MIGRATION);
  expect(await mappings()).toEqual(before);
  expect(await sources("account_id, provided_id")).toHaveLength(8);
  const forced = await migrations().query(
    "SELECT relname FROM pg_class WHERE relrowsecurity AND NOT relforcerowsecurity",
  );
  expect(forced).toEqual([]);
});

test("down refuses to merge data sources with different names, and says which", async () => {
  const { query, downTo } = migrations();
  await query(
    "UPDATE data_source SET name = 'Renamed' WHERE environment = 'Testing' AND provided_id = 'both'",
  );
  await expect(downTo(MIGRATION)).rejects.toThrow(
    `Data source "both" of account 1 is named "Both of one" in Customer and "Renamed" in Testing. Give both the same name`,
  );
  expect(await sources("environment")).toHaveLength(2);
  await query("UPDATE data_source SET name = 'Renamed' WHERE provided_id = 'both'");
  await downTo(MIGRATION);
  expect(await sources("account_id, provided_id")).toHaveLength(8);
});
