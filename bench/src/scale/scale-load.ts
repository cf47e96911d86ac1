import { Client } from "pg";
import { issueUserGroupToken } from "../../../src/domain/user-groups/token.js";
import { seed } from "../compare/seed.js";
import { DATA_SOURCES, type DataSource, ENVIRONMENT, type Group, type World } from "../compare/world.js";
import type { BenchDatabase } from "../postgres.js";
import { chooseIds, ownerOf, populate, SLOTS, type WorldPlan } from "./scale-world.js";

/** Rows per statement, and tokens per INSERT. */
const CHUNK = 500_000;
const BATCH = 5000;
const LOADED = ["user_group", "mapping_entry"];

const PROVIDED_ID = `('customer-' || left(md5(n::text), 16))`;
const NAME = `('Customer ' || substr(md5(n::text), 17, 8) || ' Inc.')`;

/** Realistic rows; external IDs and names are independent of the order of creation. */
const groupsStatement = (from: number, to: number, all: number, keyId: string) => `
  INSERT INTO user_group (account_id, environment, id, provided_id, name, properties, token_key_id, token_ciphertext,
    token_lookup, search_hash, mapped_version, created_at, updated_at)
  SELECT owner.account_id, '${ENVIRONMENT}', n, ${PROVIDED_ID}, ${NAME},
    format('{"region":"%s","plan":"%s","seats":%s,"contact":"%s@example.com","flags":["beta","export"],"segment":%s}',
      (ARRAY['EU', 'US', 'APAC'])[1 + n % 3], (ARRAY['free', 'team', 'enterprise'])[1 + n % 7 % 3], 5 + n % 300,
      substr(md5(n::text), 25), n % 50)::json,
    '${keyId}',
    coalesce(encrypted.ciphertext, substr(sha256(('a' || n)::bytea) || sha256(('b' || n)::bytea) || sha256(('c' || n)::bytea), 1, 87)),
    coalesce(encrypted.lookup, sha256(('d' || n)::bytea)), hashtext(${NAME} || E'\\n' || ${PROVIDED_ID}), 1,
    now() - interval '2 years' * (1 - n::double precision / ${all}),
    now() - interval '2 years' * (1 - n::double precision / ${all}) * random()
  FROM generate_series(${from}, ${to}) AS n
  JOIN scale.owner ON owner.slot = n % ${SLOTS} LEFT JOIN scale.encrypted ON encrypted.id = n`;

/** Inserts one, two or three entries per group. */
const mappingsStatement = (from: number, to: number) => `
  INSERT INTO mapping_entry (account_id, environment, user_group_id, schema_id, data_source_id)
  SELECT owner.account_id, '${ENVIRONMENT}', n, schema.id,
    (owner.account_id - 1) * ${DATA_SOURCES} + 1 + (n / 3 + 7 * schema.number) % ${DATA_SOURCES}
  FROM generate_series(${from}, ${to}) AS n JOIN scale.owner ON owner.slot = n % ${SLOTS}
  CROSS JOIN (VALUES (1, 'billing'), (2, 'sales'), (3, 'support')) AS schema (number, id)
  WHERE schema.number <= 1 + n % 3`;

/** Fills empty tables with groups. @returns the groups to read */
export async function load(database: BenchDatabase, plan: WorldPlan, groups: number): Promise<World> {
  // The default would checkpoint repeatedly during the load.
  for (const setting of ["max_wal_size = '16GB'", "checkpoint_timeout = '1h'"])
    await database.query(`ALTER SYSTEM SET ${setting}`);
  await database.query("SELECT pg_reload_conf()");
  await loadAccounts(database, plan);
  await stageTokens(database, plan, chooseIds(groups));
  // Indexes that are not ready are not maintained, and REINDEX makes them ready: constraints stay as migrated.
  await database.query(
    "UPDATE pg_index SET indisready = false, indisvalid = false WHERE indrelid = ANY ($1::regclass[])",
    [LOADED],
  );
  const chunks = Array.from({ length: Math.ceil(groups / CHUNK) }, (_, index) => index * CHUNK + 1);
  await runOnTwoConnections(
    database,
    chunks.flatMap((from) => {
      const to = Math.min(from + CHUNK - 1, groups);
      return [groupsStatement(from, to, groups, plan.vault.primaryKeyId), mappingsStatement(from, to)];
    }),
  );
  const indexes = await database.query<{ name: string }>(
    "SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indrelid = ANY ($1::regclass[])",
    [LOADED],
  );
  await runOnTwoConnections(
    database,
    indexes.map(({ name }) => `REINDEX INDEX ${name}`),
  );
  await database.query("SELECT setval('user_group_team_id', $1)", [groups]);
  await runOnTwoConnections(
    database,
    LOADED.map((table) => `VACUUM (FREEZE, ANALYZE) ${table}`),
  );
  const read = await readBack(database, plan);
  await database.query("DROP SCHEMA scale CASCADE");
  await database.query("ANALYZE");
  await database.query("ALTER SYSTEM RESET ALL");
  await database.query("SELECT pg_reload_conf()");
  await database.query("CHECKPOINT");
  return populate(plan, read);
}

async function loadAccounts(database: BenchDatabase, plan: WorldPlan): Promise<void> {
  const { accounts, owners, vault } = plan;
  const { query } = database;
  await seed(database, plan);
  // Disabled endpoints receive nothing but are relevant to the planner.
  await query(
    `INSERT INTO webhook_endpoint (account_id, environment, name, url, events, secret_key_id, secret_ciphertext, disabled_at)
      SELECT id, $1, 'bench', 'https://hooks.example.com/', '{}', $2, '\\x5a', now() FROM account`,
    [ENVIRONMENT, vault.primaryKeyId],
  );
  await query("CREATE SCHEMA scale");
  await query("CREATE TABLE scale.owner (slot integer, account_id integer)");
  await query(
    "CREATE TABLE scale.encrypted (account_id integer, id bigint, token text, ciphertext bytea, lookup bytea)",
  );
  await query("INSERT INTO scale.owner SELECT * FROM unnest($1::integer[], $2::integer[])", [
    owners.map((_, slot) => slot),
    owners.map((owner) => accounts[owner]?.accountId),
  ]);
}

/** Encrypts the tokens of the groups to read; all others get random bytes. */
async function stageTokens({ query }: BenchDatabase, plan: WorldPlan, ids: readonly number[]): Promise<void> {
  const { vault } = plan;
  for (let from = 0; from < ids.length; from += BATCH) {
    const rows = ids.slice(from, from + BATCH).map((id) => {
      const { accountId } = ownerOf(plan, id);
      const token = issueUserGroupToken(accountId);
      const { ciphertext, lookup } = vault.encryptToken(token, { accountId, tokenKeyId: vault.primaryKeyId });
      return [accountId, id, token, ciphertext, lookup];
    });
    await query(
      "INSERT INTO scale.encrypted SELECT * FROM unnest($1::integer[], $2::bigint[], $3::text[], $4::bytea[], $5::bytea[])",
      [0, 1, 2, 3, 4].map((column) => rows.map((row) => row[column])),
    );
  }
  await query("ANALYZE scale.owner, scale.encrypted");
}

/** Runs statements on two connections, one per core. */
async function runOnTwoConnections({ owner }: BenchDatabase, statements: readonly string[]): Promise<void> {
  const waiting = [...statements];
  const work = async () => {
    const client = new Client(owner);
    await client.connect();
    try {
      // Skips audit triggers and foreign key checks.
      await client.query(
        "SET session_replication_role = replica; SET maintenance_work_mem = '1GB'; SET max_parallel_maintenance_workers = 0",
      );
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await client.query(next);
    } finally {
      await client.end();
    }
  };
  await Promise.all([work(), work()]);
}

async function readBack({ query }: BenchDatabase, plan: WorldPlan): Promise<readonly Group[]> {
  const rows = await query<Omit<Group, "mapping"> & { mapping: readonly (readonly [string, number])[] }>(
    `SELECT id, provided_id AS "providedId", name, properties, token,
      (SELECT json_agg(json_build_array(schema_id, data_source_id) ORDER BY schema_id) FROM mapping_entry AS entry
        WHERE entry.account_id = user_group.account_id AND entry.environment = '${ENVIRONMENT}'
          AND user_group_id = user_group.id) AS mapping
    FROM user_group JOIN scale.encrypted USING (account_id, id) WHERE environment = '${ENVIRONMENT}'`,
  );
  const all = plan.accounts.flatMap(({ dataSources }) => dataSources);
  const sources = new Map(all.map((source): [number, DataSource] => [source.dataSourceId, source]));
  return rows.map(({ mapping, ...group }) => ({
    ...group,
    mapping: mapping.flatMap(([schemaId, id]) => {
      const dataSource = sources.get(id);
      return dataSource ? [{ schemaId, dataSource }] : [];
    }),
  }));
}
