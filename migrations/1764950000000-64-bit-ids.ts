import type { QueryRunner } from "typeorm";
import { lockTables } from "./shared/lock-tables.js";
import type { LockingMigration } from "./shared/locks.js";

/** The IDs that were 32-bit. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  account: ["id"],
  user_group: ["account_id", "id"],
  data_source: ["account_id", "id"],
  mapping_entry: ["account_id", "user_group_id", "data_source_id"],
  brought_token: ["account_id", "user_group_id"],
  api_key: ["account_id", "id"],
  site_config: ["account_id", "id"],
  site_config_revision: ["account_id", "site_config_id", "author_key_id"],
  audit_entry: ["account_id", "subject_id", "actor_key_id"],
  webhook_endpoint: ["account_id", "id"],
  webhook_delivery: ["account_id", "endpoint_id"],
  idempotent_request: ["account_id"],
};
const TABLES = Object.keys(COLUMNS);

/** The last integer before JavaScript's numbers, and JSON's in most clients, skip one. */
const MAX_ID = Number.MAX_SAFE_INTEGER;
/** API keys and tokens have six digits of base 62 for the account. */
const MAX_ACCOUNT_ID = 62 ** 6 - 1;
/** The maximum of each sequence that was 32-bit. */
const SEQUENCES: Readonly<Record<string, number>> = {
  account_id_seq: MAX_ACCOUNT_ID,
  user_group_team_id: MAX_ID,
  data_source_id_seq: MAX_ID,
  api_key_id_seq: MAX_ID,
  site_config_id_seq: MAX_ID,
  webhook_endpoint_id_seq: MAX_ID,
};
const WIDE_SEQUENCES = ["audit_entry_id_seq", "webhook_delivery_id_seq"];

export class SixtyFourBitIds1764950000000 implements LockingMigration {
  readonly name = "SixtyFourBitIds1764950000000";
  readonly locks = {
    account: "ACCESS EXCLUSIVE",
    user_group: "ACCESS EXCLUSIVE",
    data_source: "ACCESS EXCLUSIVE",
    mapping_entry: "ACCESS EXCLUSIVE",
    brought_token: "ACCESS EXCLUSIVE",
    api_key: "ACCESS EXCLUSIVE",
    site_config: "ACCESS EXCLUSIVE",
    site_config_revision: "ACCESS EXCLUSIVE",
    audit_entry: "ACCESS EXCLUSIVE",
    webhook_endpoint: "ACCESS EXCLUSIVE",
    webhook_delivery: "ACCESS EXCLUSIVE",
    idempotent_request: "ACCESS EXCLUSIVE",
  } as const;

  /**
   * Rewrites all tables of tenants and their indexes in one transaction, during which requests wait: foreign keys connect the tables, so
   * that their locks cannot be taken one after the other. A million groups with two million mapping entries and a million audit entries
   * (1.1 GB) took 22 to 38 s on a busy machine.
   * @throws if the tables are distributed: Citus does not change the type of the column that they are distributed by
   */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(REQUIRE_LOCAL_TABLES);
    await lockTables(queryRunner, TABLES);
    for (const [sequence, max] of Object.entries(SEQUENCES))
      await queryRunner.query(`ALTER SEQUENCE ${sequence} AS bigint MAXVALUE ${max}`);
    for (const sequence of WIDE_SEQUENCES)
      await queryRunner.query(`ALTER SEQUENCE ${sequence} MAXVALUE ${MAX_ID}`);
    await queryRunner.query(changeTypes("integer", "bigint"));
  }

  /** @throws if an ID has more than 32 bits, or if the tables are distributed */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(REQUIRE_LOCAL_TABLES);
    await lockTables(queryRunner, TABLES);
    for (const sequence of Object.keys(SEQUENCES))
      await queryRunner.query(`ALTER SEQUENCE ${sequence} AS integer MAXVALUE 2147483647`);
    for (const sequence of WIDE_SEQUENCES) await queryRunner.query(`ALTER SEQUENCE ${sequence} NO MAXVALUE`);
    await queryRunner.query(changeTypes("bigint", "integer"));
  }
}

const REQUIRE_LOCAL_TABLES = `
  DO $$
  DECLARE
    is_distributed boolean := false;
  BEGIN
    IF to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL THEN
      EXECUTE 'SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = ANY ($1::regclass[]))'
        INTO is_distributed USING '{${TABLES.join(",")}}'::text[];
    END IF;
    IF is_distributed THEN
      RAISE EXCEPTION 'Citus cannot change the type of account_id in distributed tables. Restore a dump of the database into a plain PostgreSQL and migrate that (docs/scaling.md#backup).';
    END IF;
  END $$`;

/** Returns a statement that changes the type of all columns, and of the casts in policies. */
function changeTypes(former: string, type: string): string {
  const changes = Object.entries(COLUMNS).map(
    ([table, columns]) =>
      `ALTER TABLE ${table} ${columns.map((column) => `ALTER COLUMN ${column} TYPE ${type}`).join(", ")};`,
  );
  return `
  DO $$
  DECLARE
    tables text[] := '{${TABLES.join(",")}}';
    found record;
    addition text;
    additions text[] := '{}';
  BEGIN
    -- Otherwise each change of a table would check its foreign keys again.
    FOR found IN SELECT conrelid::regclass AS relation, conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint
      WHERE contype = 'f' AND conrelid = ANY (tables::regclass[]) ORDER BY conrelid, conname
    LOOP
      EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', found.relation, found.conname);
      additions := additions || format('ALTER TABLE %s ADD CONSTRAINT %I %s', found.relation, found.conname, found.definition);
    END LOOP;
    -- PostgreSQL does not change the type of a column that a policy reads.
    FOR found IN SELECT *, (SELECT string_agg(quote_ident(role), ', ') FROM unnest(roles) AS role) AS grantees FROM pg_policies
      WHERE schemaname = current_schema() AND tablename = ANY (tables) AND concat(qual, with_check) LIKE '%account_id%'
    LOOP
      EXECUTE format('DROP POLICY %I ON %I', found.policyname, found.tablename);
      addition := format('CREATE POLICY %I ON %I FOR %s TO %s', found.policyname, found.tablename, found.cmd, found.grantees)
        || coalesce(' USING (' || replace(found.qual, '::${former}', '::${type}') || ')', '')
        || coalesce(' WITH CHECK (' || replace(found.with_check, '::${former}', '::${type}') || ')', '');
      additions := additions || addition;
    END LOOP;
    ${changes.join("\n    ")}
    FOREACH addition IN ARRAY additions LOOP
      EXECUTE addition;
    END LOOP;
  END $$`;
}
