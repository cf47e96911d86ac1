import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Client, escapeLiteral } from "pg";
import { type EmbeddedServer, openEmbeddedServer } from "../../../src/embedded-postgres/postgres.js";
import type { PeerSettings } from "../peers/peer-process.js";
import { type Account, ENVIRONMENT, type World } from "./world.js";

/** The PostgreSQL of a run. */
export interface BenchDatabase {
  /** As the role that owns the tables, a superuser. */
  readonly owner: PeerSettings["connection"];
  readonly ownerUrl: string;
  /** As the role that our service runs as, for whom row level security holds. */
  readonly runtimeUrl: string;
  /** The process whose children serve the connections. */
  readonly pid: number;
  query<Row extends object>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

const DATABASE = "bench";
/** 256 of pgbench, the pools of all contestants, and some to spare. */
const SETTINGS = { max_connections: "500" };
const BATCH = 2000;

/** Starts the PostgreSQL that our service brings along, on an empty directory. Nothing but the number of connections is tuned. */
export async function startDatabase(directory: string): Promise<BenchDatabase> {
  const server = await openEmbeddedServer({
    dataDir: join(directory, "database"),
    password: randomBytes(16).toString("hex"),
    database: DATABASE,
    adopt: false,
    settings: SETTINGS,
  });
  const client = new Client(server.connection);
  await client.connect();
  // Else pgbench would spend its time with the passwords of its connections.
  await client.query(
    `SET scram_iterations = 1; ALTER ROLE CURRENT_USER PASSWORD ${escapeLiteral(server.connection.password)}`,
  );
  const { rows } = await client.query<{ pid: string }>(
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid`,
  );
  return {
    owner: server.connection,
    ownerUrl: urlOf(server.connection),
    runtimeUrl: urlOf(server.runtimeConnection),
    pid: Number(rows[0]?.pid),
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await client.query<Row>(text, [...values])).rows,
    async close() {
      await client.end();
      await server.stop();
    },
  };
}

/** Writes the world into tables that our service has made. */
export async function seed(database: BenchDatabase, { accounts, vault }: World): Promise<void> {
  // Neither the audit log nor foreign keys have to do with what was there before.
  await database.query("SET session_replication_role = replica");
  for (const account of accounts) await seedAccount(database, account, vault);
  await database.query("SELECT setval('user_group_team_id', max(id)) FROM user_group");
  await database.query("SET session_replication_role = origin");
  await database.query("VACUUM ANALYZE");
  await database.query("CHECKPOINT");
}

async function seedAccount({ query }: BenchDatabase, account: Account, vault: World["vault"]): Promise<void> {
  const { accountId, key, dataSources, groups } = account;
  await query("INSERT INTO account (id, name, token_key_id) OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3)", [
    accountId,
    account.name,
    vault.primaryKeyId,
  ]);
  await query(
    `INSERT INTO api_key (account_id, environment, scope, name, hash, hint) VALUES ($1, $2, 'write', 'bench', $3, $4)`,
    [accountId, ENVIRONMENT, key.hash, key.hint],
  );
  await query(
    `INSERT INTO data_source (account_id, environment, id, provided_id, name) OVERRIDING SYSTEM VALUE
      SELECT $1, $2, * FROM unnest($3::integer[], $4::text[], $5::text[])`,
    [
      ...[accountId, ENVIRONMENT],
      dataSources.map(({ dataSourceId }) => dataSourceId),
      dataSources.map(({ providedId }) => providedId),
      dataSources.map(({ name }) => name),
    ],
  );
  for (let from = 0; from < groups.length; from += BATCH) {
    const batch = groups.slice(from, from + BATCH);
    await query(
      `INSERT INTO user_group (account_id, environment, token_key_id, id, provided_id, name, properties, token_ciphertext,
          token_lookup)
        SELECT $1, $2, $3, * FROM unnest($4::integer[], $5::text[], $6::text[], $7::json[], $8::bytea[], $9::bytea[])`,
      [
        ...[accountId, ENVIRONMENT, vault.primaryKeyId],
        batch.map(({ id }) => id),
        batch.map(({ providedId }) => providedId),
        batch.map(({ name }) => name),
        batch.map(({ properties }) => JSON.stringify(properties)),
        batch.map(({ token, id }) => vault.seal(token, { accountId, id }, vault.primaryKeyId).ciphertext),
        batch.map(({ token }) => vault.lookup(token, vault.primaryKeyId)),
      ],
    );
    const entries = batch.flatMap(({ id, mapping }) => mapping.map((entry) => ({ id, ...entry })));
    await query(
      `INSERT INTO mapping_entry (account_id, environment, user_group_id, schema_id, data_source_id)
        SELECT $1, $2, * FROM unnest($3::integer[], $4::text[], $5::integer[])`,
      [
        ...[accountId, ENVIRONMENT],
        entries.map(({ id }) => id),
        entries.map(({ schemaId }) => schemaId),
        entries.map(({ dataSource }) => dataSource.dataSourceId),
      ],
    );
  }
}

/** A connection as a URL, as settings take it. */
export function urlOf({ user, password, database, host, port }: EmbeddedServer["connection"]): string {
  return `postgres://${user}:${password}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
}
