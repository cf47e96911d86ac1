import type { MigrationInterface, QueryRunner } from "typeorm";
import { AuditActorOnce1764600000000 } from "./1764600000000-audit-actor-once.js";

const COLUMNS = `account_id, environment, action, subject_id, subject_name, version, changed, actor_key_id, actor_name, request_id`;
/** The request of a row. Where one statement writes rows for several requests, the actor lists them by the rows' ids or token hashes. */
const ACTOR_VALUES =
  "who_key_id, who_name, coalesce(who_requests ->> encode(now_row.token_lookup, 'hex'), who_requests ->> id::text, who_request)";

export class AuditRequestsByToken1764840000000 implements MigrationInterface {
  readonly name = "AuditRequestsByToken1764840000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    // A statement that rotates tokens knows the hashes of its rows, but not their ids.
    await queryRunner.query(`
      CREATE OR REPLACE FUNCTION user_group_audit() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        who json := nullif(current_setting('app.actor', true), '')::json;
        who_key_id integer := (who ->> 'keyId')::integer;
        who_name text := coalesce(who ->> 'name', session_user::text);
        who_request text := who ->> 'requestId';
        who_requests jsonb := (who -> 'requestIds')::jsonb;
      BEGIN
        IF TG_OP = 'UPDATE' THEN
          INSERT INTO audit_entry (${COLUMNS})
          SELECT account_id, environment,
            CASE WHEN now_row.token_lookup = old_row.token_lookup THEN 'user_group.updated' ELSE 'user_group.token_rotated' END,
            id, now_row.provided_id, now_row.version,
            array_remove(ARRAY[
              CASE WHEN now_row.name <> old_row.name THEN 'name' END,
              CASE WHEN now_row.properties::text IS DISTINCT FROM old_row.properties::text THEN 'properties' END,
              CASE WHEN now_row.mapping_version <> old_row.mapping_version THEN 'mapping' END
            ], NULL), ${ACTOR_VALUES}
          FROM now_rows AS now_row JOIN old_rows AS old_row USING (account_id, environment, id)
          -- Encrypting a token under another key is no change.
          WHERE now_row.version <> old_row.version
          ORDER BY id;
        ELSIF TG_OP = 'INSERT' THEN
          INSERT INTO audit_entry (${COLUMNS})
          SELECT account_id, environment, 'user_group.created', id, provided_id, version, '{}', ${ACTOR_VALUES}
          FROM now_rows AS now_row ORDER BY id;
        ELSE
          INSERT INTO audit_entry (${COLUMNS})
          SELECT account_id, environment, 'user_group.deleted', id, provided_id, version, '{}', who_key_id, who_name, who_request
          FROM old_rows ORDER BY id;
        END IF;
        RETURN NULL;
      END $$`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await new AuditActorOnce1764600000000().up(queryRunner);
  }
}
