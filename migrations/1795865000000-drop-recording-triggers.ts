import type { QueryRunner } from "typeorm";
import { CHANGE_RECORDING, RECORDING_FUNCTIONS } from "./baseline/change-recording.js";
import { hasDistributedGroups } from "./shared/distributed-groups.js";
import type { LockingMigration } from "./shared/locks.js";
import { inTransaction, runSeparately } from "./shared/online.js";

const TRIGGERS = {
  user_group: ["user_group_insert_audit", "user_group_update_audit", "user_group_delete_audit"],
  data_source: ["data_source_audit"],
  api_key: ["api_key_insert_audit", "api_key_revoke_audit"],
  site_config: ["site_config_audit"],
  site_config_revision: ["site_config_revision_audit"],
  webhook_endpoint: ["webhook_endpoint_audit"],
  audit_entry: ["audit_entry_webhook"],
} as const;

/** The functions of these triggers. That of `api_key_revoked` ends the event streams of a revoked key and stays. */
const FUNCTIONS = RECORDING_FUNCTIONS.filter((name) => name !== "notify_revoked_key");

const DROP_FUNCTIONS = FUNCTIONS.map((name) => `DROP FUNCTION IF EXISTS ${name}();`).join("\n");

const globalId = (type: string) =>
  `translate(encode(convert_to('${type}:' || subject, 'UTF8'), 'base64'), E'+/=\\n', '-_')`;

// Columns precede parameters of their name, which are written as record_change.….
const RECORD_CHANGE = `
CREATE OR REPLACE FUNCTION record_change(account text, environment environment, action text, subject bigint, changed text[] DEFAULT '{}')
RETURNS bigint LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  actions CONSTANT text[] := ARRAY[
    'user_group.created', 'user_group.updated', 'user_group.token_rotated', 'user_group.deleted',
    'data_source.created', 'data_source.updated', 'data_source.deleted', 'api_key.created', 'api_key.revoked',
    'site_config.published', 'site_config.opened', 'site_config.closed', 'site_config.deleted',
    'webhook_endpoint.created', 'webhook_endpoint.updated', 'webhook_endpoint.disabled', 'webhook_endpoint.deleted'];
  fields CONSTANT text[] := CASE action
    WHEN 'user_group.updated' THEN ARRAY['name', 'properties', 'mapping']
    WHEN 'data_source.updated' THEN ARRAY['providedId', 'name']
    WHEN 'webhook_endpoint.updated' THEN ARRAY['name', 'url', 'events', 'enabled', 'secret']
    WHEN 'webhook_endpoint.disabled' THEN ARRAY['enabled']
    ELSE '{}' END;
  sent_actions CONSTANT text[] := ARRAY['user_group.created', 'user_group.updated', 'user_group.token_rotated',
    'user_group.deleted', 'site_config.published', 'webhook_endpoint.disabled'];
  type CONSTANT text := split_part(action, '.', 1);
  former_scope CONSTANT text := format('SET LOCAL app.account_name = %L; SET LOCAL app.account_id = %L; SET LOCAL app.environment = %L',
    coalesce(current_setting('app.account_name', true), ''), coalesce(current_setting('app.account_id', true), ''),
    coalesce(current_setting('app.environment', true), ''));
  owner integer;
  object record;
  entry audit_entry;
  endpoint record;
  event_id CONSTANT uuid := gen_random_uuid();
  payload json;
BEGIN
  IF num_nulls(account, record_change.environment, action, subject, changed) > 0 THEN
    RAISE EXCEPTION 'No argument of record_change may be null.' USING ERRCODE = 'null_value_not_allowed';
  END IF;
  IF action <> ALL (actions) THEN
    RAISE EXCEPTION 'Unknown action %.', quote_literal(action)
      USING ERRCODE = 'invalid_parameter_value', HINT = 'Use one of ' || array_to_string(actions, ', ') || '.';
  END IF;
  IF NOT changed <@ fields OR (changed = '{}') <> (fields = '{}') THEN
    RAISE EXCEPTION 'The last argument does not fit the action %.', action USING ERRCODE = 'invalid_parameter_value',
      HINT = CASE fields WHEN '{}' THEN 'This action names no changed fields.'
        ELSE 'Name at least one of the changed fields ' || array_to_string(fields, ', ') || '.' END;
  END IF;

  -- Row-level security applies to the owner role too. Not set_config(), which Citus does not send to its workers.
  EXECUTE format('SET LOCAL app.account_name = %L', account);
  SELECT id INTO owner FROM account WHERE name = record_change.account;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'No account has the name %.', quote_literal(account) USING ERRCODE = 'no_data_found';
  END IF;
  EXECUTE format('SET LOCAL app.account_id = %L; SET LOCAL app.environment = %L', owner, record_change.environment);

  EXECUTE format('SELECT %s FROM %I WHERE account_id = $1 AND environment::text = $2 AND id = $3',
    CASE type WHEN 'user_group' THEN 'provided_id AS name, version' WHEN 'data_source' THEN 'provided_id AS name, NULL::integer AS version'
      WHEN 'site_config' THEN 'site AS name, revision AS version' ELSE 'name, NULL::integer AS version' END, type)
    INTO object USING owner, record_change.environment::text, subject;
  IF object.name IS NULL THEN
    RAISE EXCEPTION 'Environment % of the account has no % with the ID %.', record_change.environment, type, subject
      USING ERRCODE = 'no_data_found', HINT = 'Record a deletion before you delete the row, in the same transaction.';
  END IF;

  -- In the order of the service.
  changed := ARRAY(SELECT field FROM unnest(fields) WITH ORDINALITY AS known (field, position)
    WHERE field = ANY (record_change.changed) ORDER BY position);
  INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, version, changed, actor_name)
  VALUES (owner, record_change.environment, record_change.action, subject, object.name, object.version, record_change.changed, session_user)
  RETURNING * INTO entry;

  payload := json_build_object('id', event_id, 'type', action,
    'createdAt', to_char(entry.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'environment', entry.environment,
    'data', CASE type
      WHEN 'user_group' THEN json_build_object('userGroup', json_build_object('id', ${globalId("UserGroup")},
        'teamId', subject, 'providedId', entry.subject_name, 'version', entry.version, 'changed', entry.changed))
      WHEN 'site_config' THEN json_build_object('siteConfig', json_build_object('id', ${globalId("SiteConfig")},
        'site', entry.subject_name, 'revision', entry.version))
      ELSE json_build_object('webhookEndpoint', json_build_object('id', ${globalId("WebhookEndpoint")})) END);
  -- One by one: for INSERT … SELECT, Citus would use COPY, which PostgreSQL refuses with row-level security.
  FOR endpoint IN SELECT id FROM webhook_endpoint
    WHERE account_id = owner AND environment = entry.environment::text AND disabled_at IS NULL AND deleted_at IS NULL
      AND (events = '{}' OR entry.action = ANY (events))
      AND entry.action = ANY (sent_actions) AND (entry.action <> 'webhook_endpoint.disabled' OR id <> subject)
    ORDER BY id
  LOOP
    INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload)
    VALUES (owner, entry.environment, endpoint.id, event_id, entry.action, type || ':' || record_change.subject, payload);
  END LOOP;
  EXECUTE former_scope;
  RETURN entry.id;
END $$;
COMMENT ON FUNCTION record_change IS
  'Records a change that was made by hand: writes its audit entry and webhook deliveries, and returns the ID of the entry.';
REVOKE ALL ON FUNCTION record_change FROM PUBLIC;`;

/** The service records each change in the code that makes it, and operators record theirs with `record_change`. */
export class DropRecordingTriggers1795865000000 implements LockingMigration {
  readonly name = "DropRecordingTriggers1795865000000";
  readonly transaction = false;
  readonly locks = {
    user_group: "ACCESS EXCLUSIVE",
    data_source: "ACCESS EXCLUSIVE",
    api_key: "ACCESS EXCLUSIVE",
    site_config: "ACCESS EXCLUSIVE",
    site_config_revision: "ACCESS EXCLUSIVE",
    webhook_endpoint: "ACCESS EXCLUSIVE",
    audit_entry: "ACCESS EXCLUSIVE",
  } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    await runSeparately(queryRunner, [...(await dropTriggers(queryRunner)), DROP_FUNCTIONS, RECORD_CHANGE]);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const withoutTriggers = CHANGE_RECORDING.slice(0, CHANGE_RECORDING.indexOf("CREATE TRIGGER"));
    const isDistributed = await hasDistributedGroups(queryRunner);
    const drops = await dropTriggers(queryRunner);
    await inTransaction(queryRunner, async () => {
      await queryRunner.query("DROP FUNCTION IF EXISTS record_change");
      for (const drop of drops) await queryRunner.query(drop);
      await queryRunner.query(DROP_FUNCTIONS);
      // It is part of the text that restores the others.
      await queryRunner.query("DROP FUNCTION IF EXISTS notify_revoked_key() CASCADE");
      await queryRunner.query(isDistributed ? withoutTriggers : CHANGE_RECORDING);
    });
  }
}

/** Returns the statements that drop the triggers. None on Citus, which refuses them: `distribute` has dropped the triggers. */
async function dropTriggers(queryRunner: QueryRunner): Promise<readonly string[]> {
  if (await hasDistributedGroups(queryRunner)) return [];
  return Object.entries(TRIGGERS).map(([table, names]) =>
    names.map((name) => `DROP TRIGGER IF EXISTS ${name} ON ${table};`).join("\n"),
  );
}
