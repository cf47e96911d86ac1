import { Client } from "pg";
import { issueUserGroupToken } from "../../../src/domain/user-groups/token.js";
import type { BenchDatabase } from "../compare/database.js";
import { type DataSource, ENVIRONMENT, type Group, type World } from "../compare/world.js";
import type { ScalePostgres } from "./scale-postgres.js";
import { chooseIds, DATA_SOURCES, type Founding, ownerOf, populate, SLOTS } from "./scale-world.js";

/** How many rows a statement makes, and how many tokens are sent at once. */
const CHUNK = 500_000;
const BATCH = 5000;
const LOADED = ["user_group", "mapping_entry"];

/** Rows as long as real ones; ids and names of callers have nothing to do with the order of creation. */
const groupsStatement = (from: number, to: number, all: number, keyId: string) => `
  INSERT INTO user_group (account_id, environment, id, provided_id, name, properties, token_key_id, token_ciphertext,
    token_lookup, created_at, updated_at)
  SELECT owner.account_id, '${ENVIRONMENT}', n, 'customer-' || left(md5(n::text), 16),
    'Customer ' || substr(md5(n::text), 17, 8) || ' Inc.',
    format('{"region":"%s","plan":"%s","seats":%s,"contact":"%s@example.com","flags":["beta","export"],"segment":%s}',
      (ARRAY['EU', 'US', 'APAC'])[1 + n % 3], (ARRAY['free', 'team', 'enterprise'])[1 + n % 7 % 3], 5 + n % 300,
      substr(md5(n::text), 25), n % 50)::json,
    '${keyId}',
    coalesce(sealed.ciphertext, substr(sha256(('a' || n)::bytea) || sha256(('b' || n)::bytea) || sha256(('c' || n)::bytea), 1, 87)),
    coalesce(sealed.lookup, sha256(('d' || n)::bytea)),
    now() - interval '2 years' * (1 - n::double precision / ${all}),
    now() - interval '2 years' * (1 - n::double precision / ${all}) * random()
  FROM generate_series(${from}, ${to}) AS n
  JOIN scale.owner ON owner.slot = n % ${SLOTS} LEFT JOIN scale.sealed ON sealed.id = n`;

/** One, two or three entries for each group. */
const mappingsStatement = (from: number, to: number) => `
  INSERT INTO mapping_entry (account_id, environment, user_group_id, schema_id, data_source_id)
  SELECT owner.account_id, '${ENVIRONMENT}', n, schema.id,
    (owner.account_id - 1) * ${DATA_SOURCES} + 1 + (n / 3 + 7 * schema.number) % ${DATA_SOURCES}
  FROM generate_series(${from}, ${to}) AS n JOIN scale.owner ON owner.slot = n % ${SLOTS}
  CROSS JOIN (VALUES (1, 'billing'), (2, 'sales'), (3, 'support')) AS schema (number, id)
  WHERE schema.number <= 1 + n % 3`;

/** Fills tables that our service has made with so many groups. @returns those that are read */
export async function load(
  postgres: ScalePostgres,
  database: BenchDatabase,
  founding: Founding,
  groups: number,
): Promise<World> {
  // While rows come in by the million, the default would have the disk written to time and again.
  for (const setting of ["max_wal_size = '16GB'", "checkpoint_timeout = '1h'"])
    await postgres.run(`ALTER SYSTEM SET ${setting}`);
  await postgres.run("SELECT pg_reload_conf()");
  await loadAccounts(database, founding);
  await stageTokens(database, founding, chooseIds(groups));
  // What is not ready takes no rows, and REINDEX makes it ready: the constraints stay as the migrations made them.
  await database.query(
    "UPDATE pg_index SET indisready = false, indisvalid = false WHERE indrelid = ANY ($1::regclass[])",
    [LOADED],
  );
  const chunks = Array.from({ length: Math.ceil(groups / CHUNK) }, (_, index) => index * CHUNK + 1);
  await runInTwo(
    database,
    chunks.flatMap((from) => {
      const to = Math.min(from + CHUNK - 1, groups);
      return [groupsStatement(from, to, groups, founding.vault.primaryKeyId), mappingsStatement(from, to)];
    }),
  );
  const indexes = await database.query<{ name: string }>(
    "SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indrelid = ANY ($1::regclass[])",
    [LOADED],
  );
  await runInTwo(
    database,
    indexes.map(({ name }) => `REINDEX INDEX ${name}`),
  );
  await database.query("SELECT setval('user_group_team_id', $1)", [groups]);
  await runInTwo(
    database,
    LOADED.map((table) => `VACUUM (FREEZE, ANALYZE) ${table}`),
  );
  const read = await readBack(database, founding);
  await database.query("DROP SCHEMA scale CASCADE");
  await database.query("ANALYZE");
  await postgres.run("ALTER SYSTEM RESET ALL");
  await postgres.run("SELECT pg_reload_conf()");
  await postgres.run("CHECKPOINT");
  return populate(founding, read);
}

async function loadAccounts({ query }: BenchDatabase, { accounts, owners, vault }: Founding): Promise<void> {
  const ids = accounts.map(({ accountId }) => accountId);
  const sources = accounts.flatMap(({ accountId, dataSources }) =>
    dataSources.map((source) => ({ accountId, ...source })),
  );
  await query("SET session_replication_role = replica");
  await query(
    `INSERT INTO account (id, name, token_key_id) OVERRIDING SYSTEM VALUE
      SELECT id, name, $1 FROM unnest($2::integer[], $3::text[]) AS new (id, name)`,
    [vault.primaryKeyId, ids, accounts.map(({ name }) => name)],
  );
  await query(
    `INSERT INTO api_key (account_id, environment, scope, name, hash, hint)
      SELECT id, $1, 'write', 'bench', hash, hint FROM unnest($2::integer[], $3::bytea[], $4::text[]) AS new (id, hash, hint)`,
    [ENVIRONMENT, ids, accounts.map(({ key }) => key.hash), accounts.map(({ key }) => key.hint)],
  );
  await query(
    `INSERT INTO data_source (environment, account_id, id, provided_id, name) OVERRIDING SYSTEM VALUE
      SELECT $1, * FROM unnest($2::integer[], $3::integer[], $4::text[], $5::text[])`,
    [
      ENVIRONMENT,
      sources.map(({ accountId }) => accountId),
      sources.map(({ dataSourceId }) => dataSourceId),
      sources.map(({ providedId }) => providedId),
      sources.map(({ name }) => name),
    ],
  );
  // Turned off, so that nothing is sent; they are there for the planner.
  await query(
    `INSERT INTO webhook_endpoint (account_id, environment, name, url, events, secret_key_id, secret_ciphertext, disabled_at)
      SELECT id, $1, 'bench', 'https://hooks.example.com/', '{}', $2, '\\x5a', now() FROM account`,
    [ENVIRONMENT, vault.primaryKeyId],
  );
  await query("CREATE SCHEMA scale");
  await query("CREATE TABLE scale.owner (slot integer, account_id integer)");
  await query(
    "CREATE TABLE scale.sealed (account_id integer, id integer, token text, ciphertext bytea, lookup bytea)",
  );
  await query("INSERT INTO scale.owner SELECT * FROM unnest($1::integer[], $2::integer[])", [
    owners.map((_, slot) => slot),
    owners.map((owner) => accounts[owner]?.accountId),
  ]);
}

/** Seals the tokens of the groups that are read; all others get random bytes. */
async function stageTokens(
  { query }: BenchDatabase,
  founding: Founding,
  ids: readonly number[],
): Promise<void> {
  const { vault } = founding;
  for (let from = 0; from < ids.length; from += BATCH) {
    const rows = ids.slice(from, from + BATCH).map((id) => {
      const { accountId } = ownerOf(founding, id);
      const token = issueUserGroupToken(accountId);
      const { ciphertext } = vault.seal(token, { accountId, id }, vault.primaryKeyId);
      return { accountId, id, token, ciphertext, lookup: vault.lookup(token, vault.primaryKeyId) };
    });
    await query(
      "INSERT INTO scale.sealed SELECT * FROM unnest($1::integer[], $2::integer[], $3::text[], $4::bytea[], $5::bytea[])",
      [
        rows.map(({ accountId }) => accountId),
        rows.map(({ id }) => id),
        rows.map(({ token }) => token),
        rows.map(({ ciphertext }) => ciphertext),
        rows.map(({ lookup }) => lookup),
      ],
    );
  }
  await query("ANALYZE scale.owner, scale.sealed");
}

/** Runs statements on two connections, as there are two cores. */
async function runInTwo({ owner }: BenchDatabase, statements: readonly string[]): Promise<void> {
  const waiting = [...statements];
  const work = async () => {
    const client = new Client(owner);
    await client.connect();
    try {
      // Neither the audit log nor foreign keys have to do with what was there before.
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

interface ReadRow extends Omit<Group, "mapping"> {
  readonly mapping: readonly (readonly [schemaId: string, dataSourceId: number])[];
}

async function readBack({ query }: BenchDatabase, founding: Founding): Promise<readonly Group[]> {
  const rows = await query<ReadRow>(
    `SELECT id, provided_id AS "providedId", name, properties, token,
      (SELECT json_agg(json_build_array(schema_id, data_source_id) ORDER BY schema_id) FROM mapping_entry AS entry
        WHERE entry.account_id = user_group.account_id AND entry.environment = '${ENVIRONMENT}'
          AND user_group_id = user_group.id) AS mapping
    FROM user_group JOIN scale.sealed USING (account_id, id) WHERE environment = '${ENVIRONMENT}'`,
  );
  const sources = new Map<number, DataSource>(
    founding.accounts.flatMap(({ dataSources }) =>
      dataSources.map((source) => [source.dataSourceId, source]),
    ),
  );
  return rows.map(({ mapping, ...group }) => ({
    ...group,
    mapping: mapping.flatMap(([schemaId, id]) => {
      const dataSource = sources.get(id);
      return dataSource ? [{ schemaId, dataSource }] : [];
    }),
  }));
}
