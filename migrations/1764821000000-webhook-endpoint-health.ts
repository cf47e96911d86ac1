import type { MigrationInterface, QueryRunner } from "typeorm";

/** The global id of an object, as GraphQL has it. */
const nodeId = (type: string) =>
  `translate(encode(convert_to('${type}:' || subject_id, 'UTF8'), 'base64'), E'+/=\\n', '-_')`;

const SITE_CONFIG = `WHEN 'site_config.published' THEN json_build_object('siteConfig', json_build_object(
  'id', ${nodeId("SiteConfig")}, 'site', subject_name, 'revision', version))`;
const USER_GROUP = `json_build_object('userGroup', json_build_object(
  'id', ${nodeId("UserGroup")}, 'teamId', subject_id, 'providedId', subject_name, 'version', version, 'changed', changed))`;
const ENDPOINT = `WHEN 'webhook_endpoint.disabled' THEN json_build_object('webhookEndpoint', json_build_object(
  'id', ${nodeId("WebhookEndpoint")}))`;

/** Writes a delivery for each event and each endpoint that subscribes to it. */
const outboxOf = (more: { readonly event: string; readonly data: string; readonly condition: string }) => `
  CREATE OR REPLACE FUNCTION audit_entry_webhook() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload)
    SELECT event.account_id, endpoint.environment, endpoint.id, event_id, action,
      split_part(action, '.', 1) || ':' || subject_id,
      json_build_object('id', event_id, 'type', action,
        'createdAt', to_char(event.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'environment', event.environment,
        'data', CASE action ${SITE_CONFIG} ${more.data} ELSE ${USER_GROUP} END)
    FROM (
      SELECT *, gen_random_uuid() AS event_id FROM entries
      WHERE action IN ('user_group.created', 'user_group.updated', 'user_group.token_rotated', 'user_group.deleted',
        'site_config.published'${more.event})
    ) AS event
    JOIN webhook_endpoint AS endpoint ON endpoint.account_id = event.account_id
      AND endpoint.environment = event.environment::text AND endpoint.disabled_at IS NULL ${more.condition}
      AND (endpoint.events = '{}' OR action = ANY (endpoint.events))
    ORDER BY event.id, endpoint.id;
    RETURN NULL;
  END $$;`;

const CHANGED = `array_remove(ARRAY[
  CASE WHEN NEW.name <> OLD.name THEN 'name' END,
  CASE WHEN NEW.url <> OLD.url THEN 'url' END,
  CASE WHEN NEW.events <> OLD.events THEN 'events' END,
  CASE WHEN (NEW.disabled_at IS NULL) <> (OLD.disabled_at IS NULL) THEN 'enabled' END,
  -- The first secret belongs to the creation; to encrypt one under another key is no change.
  CASE WHEN NEW.secret_ciphertext <> OLD.secret_ciphertext AND OLD.secret_ciphertext <> ''
    AND NEW.secret_key_id = OLD.secret_key_id THEN 'secret' END
], NULL)`;

const INSERT_ENTRY = `
  INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_key_id,
    actor_name, request_id)
  SELECT subject.account_id, subject.environment::environment, action, subject.id, subject.name, changed,
    (who ->> 'keyId')::integer, coalesce(who ->> 'name', session_user::text), who ->> 'requestId'
  FROM (SELECT nullif(current_setting('app.actor', true), '')::json AS who) AS actor;
  RETURN NULL;`;

/** Writes what happens to endpoints into the audit log. @param special what is no mere change, and decided first */
const auditOf = (special: string) => `
  CREATE OR REPLACE FUNCTION webhook_endpoint_audit() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    subject webhook_endpoint := coalesce(NEW, OLD);
    changed text[] := '{}';
    action text := CASE TG_OP WHEN 'INSERT' THEN 'webhook_endpoint.created' WHEN 'UPDATE' THEN 'webhook_endpoint.updated'
      ELSE 'webhook_endpoint.deleted' END;
  BEGIN
    ${special}
    IF TG_OP = 'UPDATE' AND action <> 'webhook_endpoint.deleted' THEN
      changed := ${CHANGED};
      IF changed = '{}' THEN
        RETURN NULL;
      END IF;
    END IF;
    ${INSERT_ENTRY}
  END $$;
  DROP TRIGGER webhook_endpoint_audit ON webhook_endpoint;`;

const SPECIAL = `
  IF TG_OP <> 'INSERT' AND OLD.deleted_at IS NOT NULL THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.deleted_at IS NOT NULL THEN
    action := 'webhook_endpoint.deleted';
  ELSIF TG_OP = 'UPDATE' AND OLD.disabled_at IS NULL AND NEW.disabled_at IS NOT NULL
    AND NEW.disabled_reason IN ('gone', 'failing') THEN
    action := 'webhook_endpoint.disabled';
  END IF;`;

export class WebhookEndpointHealth1764821000000 implements MigrationInterface {
  readonly name = "WebhookEndpointHealth1764821000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- A deleted endpoint is hidden at once; its rows are removed in batches later.
      ALTER TABLE webhook_endpoint
        ADD COLUMN deleted_at timestamp(3) with time zone,
        ADD COLUMN disabled_reason text,
        ADD COLUMN last_success_at timestamp(3) with time zone,
        ADD COLUMN last_failure_at timestamp(3) with time zone,
        ADD COLUMN last_error text,
        ADD COLUMN consecutive_failures integer NOT NULL DEFAULT 0,
        ADD COLUMN failing_since timestamp(3) with time zone,
        ADD COLUMN paused_until timestamp(3) with time zone;
      CREATE INDEX webhook_endpoint_deleted_ix ON webhook_endpoint (account_id, environment, id)
        WHERE deleted_at IS NOT NULL;

      -- Since when a delivery waits: since it was written, or was replayed.
      ALTER TABLE webhook_delivery ADD COLUMN queued_at timestamp(3) with time zone NOT NULL DEFAULT now();
      CREATE INDEX webhook_delivery_queued_at_ix ON webhook_delivery (queued_at) WHERE state = 'pending';
      CREATE INDEX IF NOT EXISTS webhook_delivery_created_at_ix ON webhook_delivery (created_at) WHERE state <> 'pending';

      ${outboxOf({
        event: ", 'webhook_endpoint.disabled'",
        data: ENDPOINT,
        condition: "AND endpoint.deleted_at IS NULL",
      })}
      ${auditOf(SPECIAL)}
      -- What is known of an endpoint's health changes often, and is nothing for the audit log.
      CREATE TRIGGER webhook_endpoint_audit
        AFTER INSERT OR DELETE OR UPDATE OF name, url, events, disabled_at, deleted_at, secret_ciphertext
        ON webhook_endpoint FOR EACH ROW EXECUTE FUNCTION webhook_endpoint_audit();
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ${outboxOf({ event: "", data: "", condition: "" })}
      ${auditOf("")}
      DROP INDEX webhook_delivery_created_at_ix;
      DROP INDEX webhook_delivery_queued_at_ix;
      ALTER TABLE webhook_delivery DROP COLUMN queued_at;
      DROP INDEX webhook_endpoint_deleted_ix;
      -- Lets the owner of the tables see all rows.
      ALTER TABLE webhook_delivery NO FORCE ROW LEVEL SECURITY;
      ALTER TABLE webhook_endpoint NO FORCE ROW LEVEL SECURITY;
      DELETE FROM webhook_delivery AS delivery USING webhook_endpoint AS endpoint
      WHERE delivery.account_id = endpoint.account_id AND delivery.environment = endpoint.environment
        AND delivery.endpoint_id = endpoint.id AND endpoint.deleted_at IS NOT NULL;
      DELETE FROM webhook_endpoint WHERE deleted_at IS NOT NULL;
      ALTER TABLE webhook_endpoint FORCE ROW LEVEL SECURITY;
      ALTER TABLE webhook_delivery FORCE ROW LEVEL SECURITY;
      ALTER TABLE webhook_endpoint DROP COLUMN paused_until, DROP COLUMN failing_since, DROP COLUMN consecutive_failures,
        DROP COLUMN last_error, DROP COLUMN last_failure_at, DROP COLUMN last_success_at, DROP COLUMN disabled_reason,
        DROP COLUMN deleted_at;
      CREATE TRIGGER webhook_endpoint_audit AFTER INSERT OR UPDATE OR DELETE ON webhook_endpoint
        FOR EACH ROW EXECUTE FUNCTION webhook_endpoint_audit();
    `);
  }
}
