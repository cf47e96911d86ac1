// Statements of the service record their changes in the audit log and the outbox, and set app.audit_actor. These triggers record changes by
// hand.

const COLUMNS =
  "account_id, environment, action, subject_id, subject_name, version, changed, actor_key_id, actor_name, request_id";
const ACTOR = "(SELECT nullif(current_setting('app.actor', true), '')::json AS who) AS actor";
const ACTOR_VALUES =
  "(who ->> 'keyId')::integer, coalesce(who ->> 'name', session_user::text), who ->> 'requestId'";
const GROUP_REQUEST =
  "coalesce(who_requests ->> encode(now_row.token_lookup, 'hex'), who_requests ->> id::text, who_request)";
const GROUP_ACTOR = `who_key_id, who_name, ${GROUP_REQUEST}`;

/** SQL of a global ID. */
const globalId = (type: string) =>
  `translate(encode(convert_to('${type}:' || subject_id, 'UTF8'), 'base64'), E'+/=\\n', '-_')`;

const FUNCTIONS: Readonly<Record<string, string>> = {
  user_group_audit: `
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
          ], NULL), ${GROUP_ACTOR}
        FROM now_rows AS now_row JOIN old_rows AS old_row USING (account_id, environment, id)
        -- Encrypting a token under another key is no change.
        WHERE now_row.version <> old_row.version
        ORDER BY id;
      ELSIF TG_OP = 'INSERT' THEN
        INSERT INTO audit_entry (${COLUMNS})
        SELECT account_id, environment, 'user_group.created', id, provided_id, version, '{}', ${GROUP_ACTOR}
        FROM now_rows AS now_row ORDER BY id;
      ELSE
        INSERT INTO audit_entry (${COLUMNS})
        SELECT account_id, environment, 'user_group.deleted', id, provided_id, version, '{}', who_key_id, who_name, who_request
        FROM old_rows ORDER BY id;
      END IF;
      RETURN NULL;
    END`,
  data_source_audit: `
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
      SELECT subject.account_id, subject.environment,
        CASE TG_OP WHEN 'INSERT' THEN 'data_source.created' WHEN 'UPDATE' THEN 'data_source.updated'
          ELSE 'data_source.deleted' END,
        subject.id, subject.provided_id, NULL, changed, ${ACTOR_VALUES}
      FROM ${ACTOR};
      RETURN NULL;
    END`,
  api_key_audit: `
    BEGIN
      INSERT INTO audit_entry (${COLUMNS})
      SELECT NEW.account_id, NEW.environment,
        CASE TG_OP WHEN 'INSERT' THEN 'api_key.created' ELSE 'api_key.revoked' END,
        NEW.id, NEW.name, NULL, '{}', ${ACTOR_VALUES} FROM ${ACTOR};
      RETURN NULL;
    END`,
  site_config_revision_audit: `
    BEGIN
      INSERT INTO audit_entry (${COLUMNS})
      SELECT NEW.account_id, NEW.environment, 'site_config.published', NEW.site_config_id, site, NEW.revision, '{}',
        ${ACTOR_VALUES}
      FROM site_config, ${ACTOR}
      WHERE account_id = NEW.account_id AND environment = NEW.environment AND id = NEW.site_config_id;
      RETURN NULL;
    END`,
  site_config_audit: `
    BEGIN
      INSERT INTO audit_entry (${COLUMNS})
      SELECT NEW.account_id, NEW.environment,
        CASE WHEN OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL THEN 'site_config.deleted'
          ELSE CASE WHEN NEW.public_from IS NULL THEN 'site_config.closed' ELSE 'site_config.opened' END END,
        NEW.id, NEW.site, NEW.revision, '{}',
        ${ACTOR_VALUES}
      FROM ${ACTOR};
      RETURN NULL;
    END`,
  webhook_endpoint_audit: `
    DECLARE
      subject webhook_endpoint := coalesce(NEW, OLD);
      changed text[] := '{}';
      action text := CASE TG_OP WHEN 'INSERT' THEN 'webhook_endpoint.created' WHEN 'UPDATE' THEN 'webhook_endpoint.updated'
        ELSE 'webhook_endpoint.deleted' END;
    BEGIN
      IF TG_OP <> 'INSERT' AND OLD.deleted_at IS NOT NULL THEN
        RETURN NULL;
      END IF;
      IF TG_OP = 'UPDATE' AND NEW.deleted_at IS NOT NULL THEN
        action := 'webhook_endpoint.deleted';
      ELSIF TG_OP = 'UPDATE' AND OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL
        AND NEW.disabled_reason IN ('gone', 'failing') THEN
        action := 'webhook_endpoint.disabled';
      END IF;
      IF TG_OP = 'UPDATE' AND action <> 'webhook_endpoint.deleted' THEN
        changed := array_remove(ARRAY[
          CASE WHEN NEW.name <> OLD.name THEN 'name' END,
          CASE WHEN NEW.url <> OLD.url THEN 'url' END,
          CASE WHEN NEW.events <> OLD.events THEN 'events' END,
          CASE WHEN (NEW.disabled_at IS NULL) <> (OLD.disabled_at IS NULL) THEN 'enabled' END,
          -- The first secret belongs to the creation; to encrypt one under another key is no change.
          CASE WHEN NEW.secret_ciphertext <> OLD.secret_ciphertext AND OLD.secret_ciphertext <> ''
            AND NEW.secret_key_id = OLD.secret_key_id THEN 'secret' END
        ], NULL);
        IF changed = '{}' THEN
          RETURN NULL;
        END IF;
      END IF;
      INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_key_id,
        actor_name, request_id)
      SELECT subject.account_id, subject.environment::environment, action, subject.id, subject.name, changed,
        ${ACTOR_VALUES}
      FROM ${ACTOR};
      RETURN NULL;
    END`,
  audit_entry_webhook: `
    BEGIN
      INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload)
      SELECT event.account_id, endpoint.environment, endpoint.id, event_id, action,
        split_part(action, '.', 1) || ':' || subject_id,
        json_build_object('id', event_id, 'type', action,
          'createdAt', to_char(event.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
          'environment', event.environment,
          'data', CASE action
            WHEN 'site_config.published' THEN json_build_object('siteConfig', json_build_object(
              'id', ${globalId("SiteConfig")}, 'site', subject_name, 'revision', version))
            WHEN 'webhook_endpoint.disabled' THEN json_build_object('webhookEndpoint', json_build_object(
              'id', ${globalId("WebhookEndpoint")}))
            ELSE json_build_object('userGroup', json_build_object(
              'id', ${globalId("UserGroup")}, 'teamId', subject_id, 'providedId', subject_name, 'version', version,
              'changed', changed)) END)
      FROM (
        SELECT *, gen_random_uuid() AS event_id FROM entries
        WHERE action IN ('user_group.created', 'user_group.updated', 'user_group.token_rotated', 'user_group.deleted',
          'site_config.published', 'webhook_endpoint.disabled')
      ) AS event
      JOIN webhook_endpoint AS endpoint ON endpoint.account_id = event.account_id
        AND endpoint.environment = event.environment::text AND endpoint.disabled_at IS NULL AND endpoint.deleted_at IS NULL
        AND (endpoint.events = '{}' OR action = ANY (endpoint.events))
      ORDER BY event.id, endpoint.id;
      RETURN NULL;
    END`,
  notify_revoked_key: `
    BEGIN
      PERFORM pg_notify('api_key_revoked', NEW.id::text);
      RETURN NULL;
    END`,
};

interface Trigger {
  readonly on: string;
  readonly when?: string;
  readonly executes?: string;
}

const TRIGGERS: Readonly<Record<string, Trigger>> = {
  user_group_insert_audit: {
    on: "AFTER INSERT ON user_group REFERENCING NEW TABLE AS now_rows FOR EACH STATEMENT",
    executes: "user_group_audit",
  },
  user_group_update_audit: {
    on: "AFTER UPDATE ON user_group REFERENCING NEW TABLE AS now_rows OLD TABLE AS old_rows FOR EACH STATEMENT",
    executes: "user_group_audit",
  },
  user_group_delete_audit: {
    on: "AFTER DELETE ON user_group REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT",
    executes: "user_group_audit",
  },
  data_source_audit: { on: "AFTER INSERT OR UPDATE OR DELETE ON data_source FOR EACH ROW" },
  api_key_insert_audit: { on: "AFTER INSERT ON api_key FOR EACH ROW", executes: "api_key_audit" },
  api_key_revoke_audit: {
    on: "AFTER UPDATE ON api_key FOR EACH ROW",
    when: "OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL",
    executes: "api_key_audit",
  },
  site_config_revision_audit: { on: "AFTER INSERT ON site_config_revision FOR EACH ROW" },
  site_config_audit: {
    on: "AFTER UPDATE ON site_config FOR EACH ROW",
    when: `(OLD.public_from IS NULL) <> (NEW.public_from IS NULL)
      OR (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)`,
  },
  webhook_endpoint_audit: {
    on: `AFTER INSERT OR DELETE OR UPDATE OF name, url, events, disabled_at, deleted_at, secret_ciphertext
      ON webhook_endpoint FOR EACH ROW`,
  },
  audit_entry_webhook: {
    on: "AFTER INSERT ON audit_entry REFERENCING NEW TABLE AS entries FOR EACH STATEMENT",
  },
};

const UNRECORDED = "coalesce(current_setting('app.audit_actor', true), '') = ''";

/** The functions that record changes by hand, and their triggers. */
export const RECORDING_FUNCTIONS = Object.keys(FUNCTIONS);

export const CHANGE_RECORDING = [
  ...Object.entries(FUNCTIONS).map(
    ([name, body]) => `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$${body} $$;`,
  ),
  ...Object.entries(TRIGGERS).map(
    ([name, { on, when, executes = name }]) =>
      `CREATE TRIGGER ${name} ${on}
  WHEN (${when === undefined ? UNRECORDED : `${UNRECORDED} AND (${when})`}) EXECUTE FUNCTION ${executes}();`,
  ),
  // Recorded or not: streams of the key end at once.
  `CREATE TRIGGER api_key_revoked AFTER UPDATE OF revoked_at ON api_key FOR EACH ROW
  WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION notify_revoked_key();`,
].join("\n");
