import type { BenchDatabase } from "../postgres.js";
import { type Account, ENVIRONMENT, type World } from "./world.js";

const BATCH = 2000;

/** Inserts the world into empty tables. */
export async function seed({ query }: BenchDatabase, { accounts, vault }: World): Promise<void> {
  // Skips audit triggers and foreign key checks.
  await query("SET session_replication_role = replica");
  for (const account of accounts) await seedAccount(query, account, vault);
  await query("SELECT setval('user_group_team_id', coalesce(max(id), 1)) FROM user_group");
  await query("SET session_replication_role = origin");
  await query("VACUUM ANALYZE");
  await query("CHECKPOINT");
}

async function seedAccount(
  query: BenchDatabase["query"],
  { accountId, name, key, dataSources, groups }: Account,
  vault: World["vault"],
): Promise<void> {
  const keyId = vault.primaryKeyId;
  await query("INSERT INTO account (id, name, token_key_id) OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3)", [
    accountId,
    name,
    keyId,
  ]);
  await query(
    `INSERT INTO api_key (account_id, environment, scope, name, hash, hint) VALUES ($1, $2, 'write', 'bench', $3, $4)`,
    [accountId, ENVIRONMENT, key.hash, key.hint],
  );
  const insert = (table: string, columns: string, types: string, rows: readonly (readonly unknown[])[]) =>
    query(
      `INSERT INTO ${table} (account_id, environment, ${columns}) OVERRIDING SYSTEM VALUE
        SELECT $1, $2, * FROM unnest(${types.split(", ").map((type, index) => `$${index + 3}::${type}[]`)})`,
      [accountId, ENVIRONMENT, ...types.split(", ").map((_, column) => rows.map((row) => row[column]))],
    );
  const sources = dataSources.map((source) => [source.dataSourceId, source.providedId, source.name]);
  await insert("data_source", "id, provided_id, name", "bigint, text, text", sources);
  for (let from = 0; from < groups.length; from += BATCH) {
    const batch = groups.slice(from, from + BATCH);
    await insert(
      "user_group",
      // The names are ASCII, which needs no search text.
      "id, provided_id, name, properties, token_key_id, token_ciphertext, token_lookup, mapped_version",
      "bigint, text, text, json, text, bytea, bytea, integer",
      batch.map((group) => {
        const { ciphertext, lookup } = vault.encryptToken(group.token, { accountId, tokenKeyId: keyId });
        const properties = JSON.stringify(group.properties);
        const mappedVersion = group.mapping.length > 0 ? 1 : -1;
        return [group.id, group.providedId, group.name, properties, keyId, ciphertext, lookup, mappedVersion];
      }),
    );
    const entries = batch.flatMap(({ id, mapping }) =>
      mapping.map(({ schemaId, dataSource }) => [id, schemaId, dataSource.dataSourceId]),
    );
    const columns = "user_group_id, schema_id, data_source_id";
    await insert("mapping_entry", columns, "bigint, text, bigint", entries);
  }
}
