import type { MigrationInterface, QueryRunner } from "typeorm";

// Nothing at all is set while an account's keys are made: the policies must not fail then.
const TENANT = `account_id = nullif(current_setting('app.account_id', true), '')::integer
  AND environment = current_setting('app.environment', true)`;
const OPERATOR = "current_setting('app.operator', true) = 'on'";

/** The global id of an object, as GraphQL has it. */
const nodeId = (type: string) =>
  `translate(encode(convert_to('${type}:' || subject_id, 'UTF8'), 'base64'), E'+/=\\n', '-_')`;

export class Webhooks1764300000000 implements MigrationInterface {
  readonly name = "Webhooks1764300000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TYPE webhook_delivery_state AS ENUM ('pending', 'delivered', 'dead');

      -- environment is text here: PostgreSQL does not take a comparison of enums for an index condition where the tenant's policy
      -- stands beside the operator's, as it is not marked leakproof.
      CREATE TABLE webhook_endpoint (
        account_id integer NOT NULL,
        environment text NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY,
        name character varying(255) NOT NULL,
        url text NOT NULL,
        events text[] NOT NULL,
        secret_key_id text NOT NULL,
        secret_ciphertext bytea NOT NULL,
        previous_secret_ciphertext bytea,
        previous_secret_expires_at timestamp(3) with time zone,
        disabled_at timestamp(3) with time zone,
        created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT webhook_endpoint_pk PRIMARY KEY (account_id, environment, id),
        CONSTRAINT webhook_endpoint_account_fk FOREIGN KEY (account_id) REFERENCES account (id)
      );

      -- payload is json, not jsonb: each attempt sends the same bytes.
      CREATE TABLE webhook_delivery (
        account_id integer NOT NULL,
        environment text NOT NULL,
        id bigint GENERATED ALWAYS AS IDENTITY,
        endpoint_id integer NOT NULL,
        event_id uuid NOT NULL,
        event text NOT NULL,
        subject text NOT NULL,
        payload json NOT NULL,
        state webhook_delivery_state NOT NULL DEFAULT 'pending',
        attempts integer NOT NULL DEFAULT 0,
        next_attempt_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        last_status integer,
        last_error text,
        created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        delivered_at timestamp(3) with time zone,
        CONSTRAINT webhook_delivery_pk PRIMARY KEY (account_id, environment, id),
        CONSTRAINT webhook_delivery_endpoint_fk FOREIGN KEY (account_id, environment, endpoint_id)
          REFERENCES webhook_endpoint (account_id, environment, id) ON DELETE CASCADE
      );
      CREATE INDEX webhook_delivery_due_ix ON webhook_delivery
        (account_id, environment, endpoint_id, next_attempt_at, id) WHERE state = 'pending';
      CREATE INDEX webhook_delivery_order_ix ON webhook_delivery
        (account_id, environment, endpoint_id, subject, id) WHERE state = 'pending';

      ALTER TABLE webhook_endpoint ENABLE ROW LEVEL SECURITY;
      ALTER TABLE webhook_endpoint FORCE ROW LEVEL SECURITY;
      CREATE POLICY webhook_endpoint_scope ON webhook_endpoint USING (${TENANT});
      ALTER TABLE webhook_delivery ENABLE ROW LEVEL SECURITY;
      ALTER TABLE webhook_delivery FORCE ROW LEVEL SECURITY;
      CREATE POLICY webhook_delivery_scope ON webhook_delivery USING (${TENANT});
      -- Whoever sends works for all accounts at once.
      CREATE POLICY webhook_endpoint_dispatch ON webhook_endpoint FOR SELECT USING (${OPERATOR});
      CREATE POLICY webhook_delivery_dispatch ON webhook_delivery USING (${OPERATOR});

      -- The outbox: what the audit log is told of goes to the endpoints in the same transaction.
      CREATE FUNCTION audit_entry_webhook() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO webhook_delivery (account_id, environment, endpoint_id, event_id, event, subject, payload)
        SELECT event.account_id, endpoint.environment, endpoint.id, event_id, action,
          split_part(action, '.', 1) || ':' || subject_id,
          json_build_object('id', event_id, 'type', action,
            'createdAt', to_char(event.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'environment', event.environment,
            'data', CASE action
              WHEN 'site_config.published' THEN json_build_object('siteConfig', json_build_object(
                'id', ${nodeId("SiteConfig")}, 'site', subject_name, 'revision', version))
              ELSE json_build_object('userGroup', json_build_object(
                'id', ${nodeId("UserGroup")}, 'teamId', subject_id, 'providedId', subject_name,
                'version', version, 'changed', changed))
            END)
        FROM (
          SELECT *, gen_random_uuid() AS event_id FROM entries
          WHERE action IN ('user_group.created', 'user_group.updated', 'user_group.token_rotated', 'user_group.deleted',
            'site_config.published')
        ) AS event
        JOIN webhook_endpoint AS endpoint ON endpoint.account_id = event.account_id
          AND endpoint.environment = event.environment::text AND endpoint.disabled_at IS NULL
          AND (endpoint.events = '{}' OR action = ANY (endpoint.events))
        ORDER BY event.id, endpoint.id;
        RETURN NULL;
      END $$;
      CREATE TRIGGER audit_entry_webhook AFTER INSERT ON audit_entry
        REFERENCING NEW TABLE AS entries FOR EACH STATEMENT EXECUTE FUNCTION audit_entry_webhook();

      CREATE FUNCTION webhook_endpoint_audit() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        subject webhook_endpoint := coalesce(NEW, OLD);
        changed text[] := '{}';
      BEGIN
        IF TG_OP = 'UPDATE' THEN
          changed := array_remove(ARRAY[
            CASE WHEN NEW.name <> OLD.name THEN 'name' END,
            CASE WHEN NEW.url <> OLD.url THEN 'url' END,
            CASE WHEN NEW.events <> OLD.events THEN 'events' END,
            CASE WHEN (NEW.disabled_at IS NULL) <> (OLD.disabled_at IS NULL) THEN 'enabled' END,
            -- The first secret belongs to the creation; to seal one under another key is no change.
            CASE WHEN NEW.secret_ciphertext <> OLD.secret_ciphertext AND OLD.secret_ciphertext <> ''
              AND NEW.secret_key_id = OLD.secret_key_id THEN 'secret' END
          ], NULL);
          IF changed = '{}' THEN
            RETURN NULL;
          END IF;
        END IF;
        INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, changed, actor_key_id,
          actor_name, request_id)
        SELECT subject.account_id, subject.environment::environment,
          CASE TG_OP WHEN 'INSERT' THEN 'webhook_endpoint.created' WHEN 'UPDATE' THEN 'webhook_endpoint.updated'
            ELSE 'webhook_endpoint.deleted' END,
          subject.id, subject.name, changed, (who ->> 'keyId')::integer, coalesce(who ->> 'name', session_user::text),
          who ->> 'requestId'
        FROM (SELECT nullif(current_setting('app.actor', true), '')::json AS who) AS actor;
        RETURN NULL;
      END $$;
      CREATE TRIGGER webhook_endpoint_audit AFTER INSERT OR UPDATE OR DELETE ON webhook_endpoint
        FOR EACH ROW EXECUTE FUNCTION webhook_endpoint_audit();
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TRIGGER webhook_endpoint_audit ON webhook_endpoint;
      DROP FUNCTION webhook_endpoint_audit();
      DROP TRIGGER audit_entry_webhook ON audit_entry;
      DROP FUNCTION audit_entry_webhook();
      DROP TABLE webhook_delivery;
      DROP TABLE webhook_endpoint;
      DROP TYPE webhook_delivery_state;
    `);
  }
}
