import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";

/** Fewer than the 50 changed rows after which autovacuum would analyze the empty table: it would then plan for no rows at all. */
const ROWS = 40;

export class InitialStatistics1764921000000 implements LockingMigration {
  readonly name = "InitialStatistics1764921000000";
  readonly locks = { account: "SHARE ROW EXCLUSIVE" } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    // Without statistics, PostgreSQL expects an account to have no more than one row, and reads all of them to find one: until autovacuum
    // analyzes the tables, each foreign key and each group of a bulk update would read all groups of the account. The statistics of these
    // rows outlive them: one account owns everything. In a database with accounts, autovacuum has done its work.
    await queryRunner.query(`
      LOCK TABLE account IN SHARE ROW EXCLUSIVE MODE;
      DO $$
      BEGIN
        PERFORM set_config('app.operator', 'on', true), set_config('app.account_id', '1', true),
          set_config('app.environment', 'Customer', true);
        IF EXISTS (SELECT FROM account) THEN
          RETURN;
        END IF;
        INSERT INTO account (id, name, token_key_id) OVERRIDING SYSTEM VALUE VALUES (1, 'statistics', '');
        INSERT INTO data_source (account_id, environment, provided_id, name, created_at)
          SELECT 1, 'Customer', 'source ' || n, 'Source ' || n, now() - n * interval '1 hour' FROM generate_series(1, ${ROWS}) AS n;
        INSERT INTO user_group (account_id, environment, id, provided_id, name, token_key_id, token_ciphertext, token_lookup,
            created_at, updated_at)
          SELECT 1, 'Customer', n, 'group ' || n, 'Group ' || n, '', sha256(n::text::bytea), sha256(n::text::bytea),
            now() - n * interval '1 hour', now() - n * interval '1 hour'
          FROM generate_series(1, ${ROWS}) AS n;
        INSERT INTO mapping_entry (account_id, environment, user_group_id, schema_id, data_source_id)
          SELECT 1, 'Customer', n, 'schema', (SELECT min(id) FROM data_source) FROM generate_series(1, ${ROWS}) AS n;
        ANALYZE data_source, user_group, mapping_entry;
        TRUNCATE account RESTART IDENTITY CASCADE;
      END $$;
    `);
  }

  async down(): Promise<void> {
    // Statistics are no part of the schema.
  }
}
