import type { MigrationInterface, QueryRunner } from "typeorm";

const COLUMNS = `account_id, environment, action, subject_id, subject_name, version, changed, actor_key_id, actor_name, request_id`;
const VISIBILITY =
  "CASE WHEN NEW.public_from IS NULL THEN 'site_config.closed' ELSE 'site_config.opened' END";

const auditOf = (action: string) => `
  CREATE OR REPLACE FUNCTION site_config_audit() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO audit_entry (${COLUMNS})
    SELECT NEW.account_id, NEW.environment, ${action}, NEW.id, NEW.site, NEW.revision, '{}',
      (who ->> 'keyId')::integer, coalesce(who ->> 'name', session_user::text), who ->> 'requestId'
    FROM (SELECT nullif(current_setting('app.actor', true), '')::json AS who) AS actor;
    RETURN NULL;
  END $$;`;

const triggerOf = (condition: string) => `
  DROP TRIGGER site_config_audit ON site_config;
  CREATE TRIGGER site_config_audit AFTER UPDATE ON site_config FOR EACH ROW
    WHEN (${condition}) EXECUTE FUNCTION site_config_audit();`;

const CHANGES_VISIBILITY = "(OLD.public_from IS NULL) <> (NEW.public_from IS NULL)";
const IS_DELETED = "OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL";

export class DeleteSiteConfigs1764850000000 implements MigrationInterface {
  readonly name = "DeleteSiteConfigs1764850000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- The row and its revisions stay: a number of a revision is never used again, as replies with revisions are cached forever.
      ALTER TABLE site_config ADD COLUMN deleted_at timestamp(3) with time zone;
      ${auditOf(`CASE WHEN ${IS_DELETED} THEN 'site_config.deleted' ELSE ${VISIBILITY} END`)}
      ${triggerOf(`${CHANGES_VISIBILITY} OR (${IS_DELETED})`)}
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // Deleted sites exist again, privately.
    await queryRunner.query(`
      ${triggerOf(CHANGES_VISIBILITY)}
      ${auditOf(VISIBILITY)}
      ALTER TABLE site_config DROP COLUMN deleted_at;
    `);
  }
}
