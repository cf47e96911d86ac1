import type { MigrationInterface, QueryRunner } from "typeorm";

/** Who changed something, from the setting of the transaction; whoever works at the database itself sets none. */
const ACTOR = `(SELECT nullif(current_setting('app.actor', true), '')::json AS who) AS actor`;
const ACTOR_COLUMNS = "actor_key_id, actor_name, request_id";
const ACTOR_VALUES = `(who ->> 'keyId')::integer, coalesce(who ->> 'name', session_user::text), who ->> 'requestId'`;
const COLUMNS = `account_id, environment, action, subject_id, subject_name, version, changed, ${ACTOR_COLUMNS}`;

export class AuditLog1764200000000 implements MigrationInterface {
  readonly name = "AuditLog1764200000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- Grows with each change of the mapping, so that the audit log can tell what an update was about.
      ALTER TABLE user_group ADD COLUMN mapping_version integer NOT NULL DEFAULT 1;

      CREATE TABLE audit_entry (
        account_id integer NOT NULL,
        environment environment NOT NULL,
        id bigint GENERATED ALWAYS AS IDENTITY,
        action text NOT NULL,
        subject_id integer NOT NULL,
        subject_name text NOT NULL,
        version integer,
        changed text[] NOT NULL,
        actor_key_id integer,
        actor_name text NOT NULL,
        request_id text,
        created_at timestamp(3) with time zone NOT NULL DEFAULT clock_timestamp(),
        CONSTRAINT audit_entry_pk PRIMARY KEY (account_id, environment, id),
        CONSTRAINT audit_entry_account_fk FOREIGN KEY (account_id) REFERENCES account (id)
      );
      CREATE INDEX audit_entry_subject_ix ON audit_entry (account_id, environment, action, subject_id, id);

      -- Whatever is written is written by triggers: no change of the code can forget it.
      ALTER TABLE audit_entry ENABLE ROW LEVEL SECURITY;
      ALTER TABLE audit_entry FORCE ROW LEVEL SECURITY;
      CREATE POLICY audit_entry_scope ON audit_entry FOR SELECT
        USING (account_id = current_setting('app.account_id')::integer
          AND environment = current_setting('app.environment')::environment);
      CREATE POLICY audit_entry_append ON audit_entry FOR INSERT WITH CHECK (true);

      CREATE FUNCTION user_group_audit() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'UPDATE' THEN
          INSERT INTO audit_entry (${COLUMNS})
          SELECT now_row.account_id, now_row.environment,
            CASE WHEN now_row.token_lookup = old_row.token_lookup THEN 'user_group.updated' ELSE 'user_group.token_rotated' END,
            now_row.id, now_row.provided_id, now_row.version,
            array_remove(ARRAY[
              CASE WHEN now_row.name <> old_row.name THEN 'name' END,
              CASE WHEN now_row.properties::text IS DISTINCT FROM old_row.properties::text THEN 'properties' END,
              CASE WHEN now_row.mapping_version <> old_row.mapping_version THEN 'mapping' END
            ], NULL), ${ACTOR_VALUES}
          FROM now_rows AS now_row JOIN old_rows AS old_row USING (account_id, environment, id), ${ACTOR}
          -- Sealing a token under another key is no change.
          WHERE now_row.version <> old_row.version
          ORDER BY now_row.id;
        ELSIF TG_OP = 'INSERT' THEN
          INSERT INTO audit_entry (${COLUMNS})
          SELECT account_id, environment, 'user_group.created', id, provided_id, version, '{}', ${ACTOR_VALUES}
          FROM now_rows, ${ACTOR} ORDER BY id;
        ELSE
          INSERT INTO audit_entry (${COLUMNS})
          SELECT account_id, environment, 'user_group.deleted', id, provided_id, version, '{}', ${ACTOR_VALUES}
          FROM old_rows, ${ACTOR} ORDER BY id;
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER user_group_insert_audit AFTER INSERT ON user_group
        REFERENCING NEW TABLE AS now_rows FOR EACH STATEMENT EXECUTE FUNCTION user_group_audit();
      CREATE TRIGGER user_group_update_audit AFTER UPDATE ON user_group
        REFERENCING NEW TABLE AS now_rows OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION user_group_audit();
      CREATE TRIGGER user_group_delete_audit AFTER DELETE ON user_group
        REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION user_group_audit();

      CREATE FUNCTION data_source_audit() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        subject data_source := coalesce(NEW, OLD);
        changed text[] := '{}';
      BEGIN
        IF TG_OP = 'UPDATE' THEN
          changed := array_remove(ARRAY[
            CASE WHEN NEW.provided_id <> OLD.provided_id THEN 'providedId' END,
            CASE WHEN NEW.name <> OLD.name THEN 'name' END
          ], NULL);
        END IF;
        INSERT INTO audit_entry (${COLUMNS})
        SELECT subject.account_id, current_setting('app.environment')::environment,
          CASE TG_OP WHEN 'INSERT' THEN 'data_source.created' WHEN 'UPDATE' THEN 'data_source.updated'
            ELSE 'data_source.deleted' END,
          subject.id, subject.provided_id, NULL, changed, ${ACTOR_VALUES} FROM ${ACTOR};
        RETURN NULL;
      END $$;
      CREATE TRIGGER data_source_audit AFTER INSERT OR UPDATE OR DELETE ON data_source
        FOR EACH ROW EXECUTE FUNCTION data_source_audit();

      CREATE FUNCTION api_key_audit() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO audit_entry (${COLUMNS})
        SELECT NEW.account_id, NEW.environment,
          CASE TG_OP WHEN 'INSERT' THEN 'api_key.created' ELSE 'api_key.revoked' END,
          NEW.id, NEW.name, NULL, '{}', ${ACTOR_VALUES} FROM ${ACTOR};
        RETURN NULL;
      END $$;
      CREATE TRIGGER api_key_insert_audit AFTER INSERT ON api_key FOR EACH ROW EXECUTE FUNCTION api_key_audit();
      CREATE TRIGGER api_key_revoke_audit AFTER UPDATE ON api_key FOR EACH ROW
        WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION api_key_audit();

      CREATE FUNCTION site_config_revision_audit() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO audit_entry (${COLUMNS})
        SELECT NEW.account_id, NEW.environment, 'site_config.published', NEW.site_config_id, site, NEW.revision, '{}',
          ${ACTOR_VALUES}
        FROM site_config, ${ACTOR}
        WHERE account_id = NEW.account_id AND environment = NEW.environment AND id = NEW.site_config_id;
        RETURN NULL;
      END $$;
      CREATE TRIGGER site_config_revision_audit AFTER INSERT ON site_config_revision
        FOR EACH ROW EXECUTE FUNCTION site_config_revision_audit();

      CREATE FUNCTION site_config_audit() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO audit_entry (${COLUMNS})
        SELECT NEW.account_id, NEW.environment,
          CASE WHEN NEW.public_from IS NULL THEN 'site_config.closed' ELSE 'site_config.opened' END,
          NEW.id, NEW.site, NEW.revision, '{}', ${ACTOR_VALUES} FROM ${ACTOR};
        RETURN NULL;
      END $$;
      CREATE TRIGGER site_config_audit AFTER UPDATE ON site_config FOR EACH ROW
        WHEN ((OLD.public_from IS NULL) <> (NEW.public_from IS NULL)) EXECUTE FUNCTION site_config_audit();
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TRIGGER site_config_audit ON site_config;
      DROP FUNCTION site_config_audit();
      DROP TRIGGER site_config_revision_audit ON site_config_revision;
      DROP FUNCTION site_config_revision_audit();
      DROP TRIGGER api_key_revoke_audit ON api_key;
      DROP TRIGGER api_key_insert_audit ON api_key;
      DROP FUNCTION api_key_audit();
      DROP TRIGGER data_source_audit ON data_source;
      DROP FUNCTION data_source_audit();
      DROP TRIGGER user_group_delete_audit ON user_group;
      DROP TRIGGER user_group_update_audit ON user_group;
      DROP TRIGGER user_group_insert_audit ON user_group;
      DROP FUNCTION user_group_audit();
      DROP TABLE audit_entry;
      ALTER TABLE user_group DROP COLUMN mapping_version;
    `);
  }
}
