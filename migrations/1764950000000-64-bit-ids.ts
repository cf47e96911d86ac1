import type { QueryRunner } from "typeorm";
import { lockTables } from "./shared/lock-tables.js";
import type { LockingMigration } from "./shared/locks.js";
import { inTransaction, runSeparately } from "./shared/transactions.js";

/** Tables that foreign keys connect, each with its columns of IDs that were 32-bit. IDs of accounts remain so. */
const CONNECTED: readonly Readonly<Record<string, readonly string[]>>[] = [
  {
    user_group: ["id"],
    data_source: ["id"],
    mapping_entry: ["user_group_id", "data_source_id"],
    brought_token: ["user_group_id"],
  },
  { site_config: ["id"], site_config_revision: ["site_config_id", "author_key_id"] },
  { webhook_endpoint: ["id"], webhook_delivery: ["endpoint_id"] },
  { api_key: ["id"] },
  { audit_entry: ["subject_id", "actor_key_id"] },
];

const NARROW_SEQUENCES = [
  "user_group_team_id",
  "data_source_id_seq",
  "api_key_id_seq",
  "site_config_id_seq",
  "webhook_endpoint_id_seq",
];
const WIDE_SEQUENCES = ["audit_entry_id_seq", "webhook_delivery_id_seq"];

/** The last integer before JavaScript's numbers, and JSON's in most clients, skip one. */
const MAX_ID = Number.MAX_SAFE_INTEGER;

export class SixtyFourBitIds1764950000000 implements LockingMigration {
  readonly name = "SixtyFourBitIds1764950000000";
  readonly transaction = false;
  readonly locks = {
    user_group: "ACCESS EXCLUSIVE",
    data_source: "ACCESS EXCLUSIVE",
    mapping_entry: "ACCESS EXCLUSIVE",
    brought_token: "ACCESS EXCLUSIVE",
    site_config: "ACCESS EXCLUSIVE",
    site_config_revision: "ACCESS EXCLUSIVE",
    webhook_endpoint: "ACCESS EXCLUSIVE",
    webhook_delivery: "ACCESS EXCLUSIVE",
    api_key: "ACCESS EXCLUSIVE",
    audit_entry: "ACCESS EXCLUSIVE",
  } as const;

  /**
   * Rewrites the tables and their indexes, during which requests wait: connected tables in one transaction, since a change of a foreign key's
   * column locks both of its tables. A million groups with two million mapping entries and a million audit entries (1.1 GB) took 22 to 38 s
   * on a busy machine.
   */
  async up(queryRunner: QueryRunner): Promise<void> {
    await runSeparately(queryRunner, [
      ...NARROW_SEQUENCES.map((sequence) => `ALTER SEQUENCE ${sequence} AS bigint MAXVALUE ${MAX_ID}`),
      ...WIDE_SEQUENCES.map((sequence) => `ALTER SEQUENCE ${sequence} MAXVALUE ${MAX_ID}`),
    ]);
    for (const columns of CONNECTED) await changeTypes(queryRunner, columns, "bigint");
  }

  /** @throws if an ID has more than 32 bits */
  async down(queryRunner: QueryRunner): Promise<void> {
    for (const columns of CONNECTED) await changeTypes(queryRunner, columns, "integer");
    await runSeparately(queryRunner, [
      ...NARROW_SEQUENCES.map((sequence) => `ALTER SEQUENCE ${sequence} AS integer MAXVALUE 2147483647`),
      ...WIDE_SEQUENCES.map((sequence) => `ALTER SEQUENCE ${sequence} NO MAXVALUE`),
    ]);
  }
}

/** Changes the type of columns in one transaction, which can be repeated. */
async function changeTypes(
  queryRunner: QueryRunner,
  columns: Readonly<Record<string, readonly string[]>>,
  type: "bigint" | "integer",
): Promise<void> {
  const tables = Object.keys(columns);
  const changes = Object.entries(columns).map(
    ([table, names]) =>
      `ALTER TABLE ${table} ${names.map((name) => `ALTER COLUMN ${name} TYPE ${type}`).join(", ")};`,
  );
  await inTransaction(queryRunner, async () => {
    await lockTables(queryRunner, tables);
    // Without the foreign keys between the tables, which each change of a table would check again.
    await queryRunner.query(`
      DO $$
      DECLARE
        key record;
        additions text[] := '{}';
      BEGIN
        FOR key IN SELECT conrelid::regclass AS relation, conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint
          WHERE contype = 'f' AND ARRAY[conrelid, confrelid] <@ '{${tables.join(",")}}'::regclass[]::oid[]
        LOOP
          EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', key.relation, key.conname);
          additions := additions || format('ALTER TABLE %s ADD CONSTRAINT %I %s', key.relation, key.conname, key.definition);
        END LOOP;
        ${changes.join("\n        ")}
        FOR position IN 1..cardinality(additions) LOOP
          EXECUTE additions[position];
        END LOOP;
        -- Makes every session compile its trigger functions again, which know the types of columns.
        FOR key IN SELECT DISTINCT tgfoid::regprocedure AS function FROM pg_trigger
          JOIN pg_proc ON pg_proc.oid = tgfoid JOIN pg_language ON pg_language.oid = prolang
          WHERE NOT tgisinternal AND lanname = 'plpgsql' AND tgrelid = ANY ('{${tables.join(",")}}'::regclass[])
        LOOP
          EXECUTE format('ALTER FUNCTION %s COST 100', key.function);
        END LOOP;
      END $$`);
  });
}
