import type { MigrationInterface, QueryRunner } from "typeorm";

export class ConsoleSessions1764861000000 implements MigrationInterface {
  readonly name = "ConsoleSessions1764861000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    // Processes that cache the key must read it again, as after a revocation.
    await queryRunner.query(`
      ALTER TABLE api_key ADD COLUMN sessions_valid_from timestamp(3) with time zone;
      CREATE TRIGGER api_key_sessions_ended AFTER UPDATE OF sessions_valid_from ON api_key FOR EACH ROW
        EXECUTE FUNCTION notify_revoked_key();
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TRIGGER api_key_sessions_ended ON api_key;
      ALTER TABLE api_key DROP COLUMN sessions_valid_from;
    `);
  }
}
