import type { MigrationInterface, QueryRunner } from "typeorm";

export class NotifyRevokedKeys1764830000000 implements MigrationInterface {
  readonly name = "NotifyRevokedKeys1764830000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    // Within the transaction that revokes: notifications are delivered in the order of their commits, so that every process gets this one
    // before that of any change that is committed later.
    await queryRunner.query(`
      CREATE FUNCTION notify_revoked_key() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_notify('api_key_revoked', NEW.id::text);
        RETURN NULL;
      END $$;
      CREATE TRIGGER api_key_revoked AFTER UPDATE OF revoked_at ON api_key FOR EACH ROW
        WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
        EXECUTE FUNCTION notify_revoked_key();
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TRIGGER api_key_revoked ON api_key;
      DROP FUNCTION notify_revoked_key();
    `);
  }
}
