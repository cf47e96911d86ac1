import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";

export class AddUpUsage1795864100000 implements LockingMigration {
  readonly name = "AddUpUsage1795864100000";
  readonly locks = {};

  async up(queryRunner: QueryRunner): Promise<void> {
    // Derived from audit_entry, embed_session_count and user_group, which every release writes. The rows without API key (0) have how far
    // it is derived: audit entries before counted_until, when there were so many user_groups, and embed sessions until sessions_until.
    await queryRunner.query(`
      CREATE TABLE usage_day (
        account_id integer NOT NULL,
        environment environment NOT NULL,
        day date NOT NULL,
        api_key_id bigint NOT NULL,
        changes bigint NOT NULL DEFAULT 0,
        added bigint NOT NULL DEFAULT 0,
        embed_sessions bigint NOT NULL DEFAULT 0,
        counted_until timestamp(3) with time zone,
        user_groups bigint,
        sessions_until timestamp(3) with time zone,
        CONSTRAINT usage_day_pk PRIMARY KEY (account_id, environment, day, api_key_id)
      );
      CREATE POLICY usage_day_scope ON usage_day USING (
        account_id = nullif(current_setting('app.account_id', true), '')::integer
        AND environment = nullif(current_setting('app.environment', true), '')::environment);
      ALTER TABLE usage_day ENABLE ROW LEVEL SECURITY;
      ALTER TABLE usage_day FORCE ROW LEVEL SECURITY;`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("DROP TABLE usage_day");
  }
}
