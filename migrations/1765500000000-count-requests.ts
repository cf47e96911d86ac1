import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";

export class CountRequests1765500000000 implements LockingMigration {
  readonly name = "CountRequests1765500000000";
  readonly locks = {};

  async up(queryRunner: QueryRunner): Promise<void> {
    // Half of each page stays free: counting updates the row within its page, without touching the index.
    await queryRunner.query(`
      CREATE TABLE request_count (
        account_id integer NOT NULL,
        environment environment NOT NULL,
        day date NOT NULL,
        calls bigint NOT NULL,
        errors bigint NOT NULL,
        CONSTRAINT request_count_pk PRIMARY KEY (account_id, environment, day)
      ) WITH (fillfactor = 50);
      CREATE POLICY request_count_scope ON request_count USING (
        account_id = nullif(current_setting('app.account_id', true), '')::integer
        AND environment = nullif(current_setting('app.environment', true), '')::environment);
      ALTER TABLE request_count ENABLE ROW LEVEL SECURITY;
      ALTER TABLE request_count FORCE ROW LEVEL SECURITY;`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("DROP TABLE request_count");
  }
}
