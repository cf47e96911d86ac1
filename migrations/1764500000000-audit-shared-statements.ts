import type { MigrationInterface, QueryRunner } from "typeorm";

const COLUMNS = `account_id, environment, action, subject_id, subject_name, version, changed, actor_key_id, actor_name, request_id`;
const ACTOR = `(SELECT nullif(current_setting('app.actor', true), '')::json AS who) AS actor`;

/** @param requestId of which request a row is */
const bodyOf = (requestId: string) => `
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
        ], NULL), (who ->> 'keyId')::integer, coalesce(who ->> 'name', session_user::text), ${requestId}
      FROM now_rows AS now_row JOIN old_rows AS old_row USING (account_id, environment, id), ${ACTOR}
      -- Sealing a token under another key is no change.
      WHERE now_row.version <> old_row.version
      ORDER BY now_row.id;
    ELSIF TG_OP = 'INSERT' THEN
      INSERT INTO audit_entry (${COLUMNS})
      SELECT account_id, environment, 'user_group.created', id, provided_id, version, '{}',
        (who ->> 'keyId')::integer, coalesce(who ->> 'name', session_user::text), ${requestId}
      FROM now_rows, ${ACTOR} ORDER BY id;
    ELSE
      INSERT INTO audit_entry (${COLUMNS})
      SELECT account_id, environment, 'user_group.deleted', id, provided_id, version, '{}',
        (who ->> 'keyId')::integer, coalesce(who ->> 'name', session_user::text), ${requestId}
      FROM old_rows, ${ACTOR} ORDER BY id;
    END IF;
    RETURN NULL;
  END`;

export class AuditSharedStatements1764500000000 implements MigrationInterface {
  readonly name = "AuditSharedStatements1764500000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    // One statement may write groups for several requests: the actor then tells each group's request.
    await queryRunner.query(
      `CREATE OR REPLACE FUNCTION user_group_audit() RETURNS trigger LANGUAGE plpgsql AS $$${bodyOf(
        "coalesce(who -> 'requestIds' ->> id::text, who ->> 'requestId')",
      )} $$`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `CREATE OR REPLACE FUNCTION user_group_audit() RETURNS trigger LANGUAGE plpgsql AS $$${bodyOf("who ->> 'requestId'")} $$`,
    );
  }
}
