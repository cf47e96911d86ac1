import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";

export class EndedConsoleSessions1795863000000 implements LockingMigration {
  readonly name = "EndedConsoleSessions1795863000000";
  readonly locks = {};

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE ended_console_session (
        lookup bytea NOT NULL,
        valid_from timestamp with time zone NOT NULL,
        CONSTRAINT ended_console_session_pk PRIMARY KEY (lookup)
      );
      CREATE POLICY ended_console_session_operator ON ended_console_session
        USING (current_setting('app.operator', true) = 'on');
      ALTER TABLE ended_console_session ENABLE ROW LEVEL SECURITY;
      ALTER TABLE ended_console_session FORCE ROW LEVEL SECURITY;`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("DROP TABLE ended_console_session");
  }
}
