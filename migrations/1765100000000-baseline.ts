import type { QueryRunner } from "typeorm";
import { CHANGE_RECORDING, RECORDING_FUNCTIONS } from "./baseline/change-recording.js";
import { TABLES } from "./baseline/tables.js";
import type { LockingMigration } from "./shared/locks.js";

const INDEXES = `
CREATE INDEX data_source_name_ix ON data_source (account_id, environment, name, id);
CREATE INDEX data_source_created_at_ix ON data_source (account_id, environment, created_at, id);
CREATE INDEX user_group_name_ix ON user_group (account_id, environment, name, id);
CREATE INDEX user_group_created_at_ix ON user_group (account_id, environment, created_at, id);
CREATE INDEX user_group_updated_at_ix ON user_group (account_id, environment, updated_at, id);
CREATE INDEX user_group_previous_token_ix ON user_group (account_id, previous_token_lookup)
  WHERE previous_token_lookup IS NOT NULL;
-- Serves the check before a data source is deleted and, being complete, the list of the groups mapped to one.
CREATE INDEX mapping_entry_user_group_ix ON mapping_entry (account_id, data_source_id, environment, user_group_id);
CREATE INDEX brought_token_lookup_ix ON brought_token (lookup);
CREATE INDEX site_config_updated_at_ix ON site_config (account_id, environment, updated_at, id);
CREATE INDEX audit_entry_created_at_ix ON audit_entry (account_id, environment, created_at, id);
CREATE INDEX audit_entry_action_ix ON audit_entry (account_id, environment, action, created_at, id);
CREATE INDEX audit_entry_actor_ix ON audit_entry (account_id, environment, actor_name, created_at, id);
CREATE INDEX audit_entry_subject_name_ix ON audit_entry (account_id, environment, subject_name, created_at, id);
CREATE INDEX audit_entry_request_ix ON audit_entry (account_id, environment, request_id, created_at, id)
  WHERE request_id IS NOT NULL;
CREATE INDEX audit_entry_erasable_ix ON audit_entry (account_id, environment, created_at)
  WHERE action = 'user_group.deleted' AND subject_name !~ '^erased:[0-9a-f]{32}$';
CREATE INDEX webhook_endpoint_deleted_ix ON webhook_endpoint (account_id, environment, id) WHERE deleted_at IS NOT NULL;
CREATE INDEX webhook_delivery_endpoint_ix ON webhook_delivery (account_id, environment, endpoint_id, id);
CREATE INDEX webhook_delivery_due_ix ON webhook_delivery (account_id, environment, endpoint_id, next_attempt_at, id)
  WHERE state = 'pending';
CREATE INDEX webhook_delivery_order_ix ON webhook_delivery (account_id, environment, endpoint_id, subject, id)
  WHERE state = 'pending';
CREATE INDEX webhook_delivery_queued_ix ON webhook_delivery (account_id, environment, queued_at) WHERE state = 'pending';
CREATE INDEX webhook_delivery_completed_ix ON webhook_delivery (account_id, environment, created_at)
  WHERE state <> 'pending';
CREATE INDEX idempotent_request_expiry_ix ON idempotent_request (account_id, environment, created_at);
-- One key has no successor: concurrent creations and rotations cannot add a second one.
CREATE UNIQUE INDEX signing_key_newest_uq ON signing_key (algorithm) WHERE retired_from IS NULL;
CREATE INDEX signing_key_retired_from_ix ON signing_key (retired_from);`;

/** Partial, as a condition on the state cannot be one of an index: comparisons of enums are not leakproof. */
const STATE_INDEXES = ["pending", "delivered", "dead"].map(
  (state) => `
CREATE INDEX webhook_delivery_${state}_ix ON webhook_delivery (account_id, environment, id) WHERE state = '${state}';
CREATE INDEX webhook_delivery_endpoint_${state}_ix ON webhook_delivery (account_id, environment, endpoint_id, id)
  WHERE state = '${state}';`,
);

const ACCOUNT = "account_id = nullif(current_setting('app.account_id', true), '')::integer";
const ENVIRONMENT = "environment = nullif(current_setting('app.environment', true), '')";
/** The rows of a tenant, by the type of the column `environment`. Without the settings, no row matches. */
const ENUM_TENANT = `${ACCOUNT} AND ${ENVIRONMENT}::environment`;
const TEXT_TENANT = `${ACCOUNT} AND ${ENVIRONMENT}`;
/** Commands and background jobs work for all accounts. */
const OPERATOR = "current_setting('app.operator', true) = 'on'";
const ERASED = "subject_name ~ '^erased:[0-9a-f]{32}$'";

/** The policies of each table: which rows the settings of a transaction allow. */
const POLICIES: Readonly<Record<string, readonly string[]>> = {
  account: [
    `account_scope ON account USING (${OPERATOR} OR id = nullif(current_setting('app.account_id', true), '')::integer
      OR name = nullif(current_setting('app.account_name', true), ''))`,
  ],
  api_key: [
    `api_key_scope ON api_key USING (${ENUM_TENANT})`,
    `api_key_operator ON api_key USING (${OPERATOR})`,
  ],
  data_source: [`data_source_scope ON data_source USING (${ENUM_TENANT})`],
  user_group: [`user_group_scope ON user_group USING (${ENUM_TENANT})`],
  mapping_entry: [`mapping_entry_scope ON mapping_entry USING (${ENUM_TENANT})`],
  brought_token: [
    `brought_token_scope ON brought_token USING (${ENUM_TENANT})`,
    // Finds the account of a token that names none.
    `brought_token_route ON brought_token FOR SELECT USING (${OPERATOR})`,
  ],
  site_config: [`site_config_scope ON site_config USING (${ENUM_TENANT})`],
  site_config_revision: [`site_config_revision_scope ON site_config_revision USING (${ENUM_TENANT})`],
  audit_entry: [
    `audit_entry_scope ON audit_entry FOR SELECT USING (${ENUM_TENANT})`,
    `audit_entry_append ON audit_entry FOR INSERT WITH CHECK (${ENUM_TENANT})`,
    `audit_entry_operator ON audit_entry FOR INSERT WITH CHECK (${OPERATOR})`,
    // The application role deletes old entries only, and the only name that it writes into an entry is a pseudonym.
    `audit_entry_purge ON audit_entry FOR DELETE USING (${ENUM_TENANT} AND created_at < now() - interval '30 days')`,
    `audit_entry_erase ON audit_entry FOR UPDATE USING (${ENUM_TENANT}) WITH CHECK (${ENUM_TENANT} AND ${ERASED})`,
    // The owner role deletes all entries of a deleted account.
    `audit_entry_owner ON audit_entry FOR DELETE TO CURRENT_USER USING (${ENUM_TENANT})`,
  ],
  webhook_endpoint: [
    `webhook_endpoint_scope ON webhook_endpoint USING (${TEXT_TENANT})`,
    `webhook_endpoint_dispatch ON webhook_endpoint FOR SELECT USING (${OPERATOR})`,
  ],
  webhook_delivery: [
    `webhook_delivery_scope ON webhook_delivery USING (${TEXT_TENANT})`,
    `webhook_delivery_dispatch ON webhook_delivery USING (${OPERATOR})`,
  ],
  idempotent_request: [`idempotent_request_scope ON idempotent_request USING (${TEXT_TENANT})`],
  signing_key: [`signing_key_operator ON signing_key USING (${OPERATOR})`],
};

/** Fewer than the 50 changed rows after which autovacuum would analyze the empty table: it would then plan for no rows at all. */
const ROWS = 40;

// Without statistics, PostgreSQL expects an account to have no more than one row, and reads all of them to find one: until autovacuum analyzes
// the tables, each foreign key and each group of a bulk update would read all groups of the account. The statistics of these rows outlive them:
// one account owns everything.
const STATISTICS = `
INSERT INTO account (id, name, token_key_id) OVERRIDING SYSTEM VALUE VALUES (1, 'statistics', '');
INSERT INTO data_source (account_id, environment, provided_id, name, created_at)
  SELECT 1, 'Customer', 'source ' || n, 'Source ' || n, now() - n * interval '1 hour' FROM generate_series(1, ${ROWS}) AS n;
INSERT INTO user_group (account_id, environment, id, provided_id, name, token_key_id, token_ciphertext, token_lookup,
    created_at, updated_at)
  SELECT 1, 'Customer', n, 'group ' || n, 'Group ' || n, '', sha256(n::text::bytea), sha256(n::text::bytea),
    now() - n * interval '1 hour', now() - n * interval '1 hour'
  FROM generate_series(1, ${ROWS}) AS n;
INSERT INTO mapping_entry (account_id, environment, user_group_id, schema_id, data_source_id)
  SELECT 1, 'Customer', n, 'schema', (SELECT min(id) FROM data_source) FROM generate_series(1, ${ROWS}) AS n;
ANALYZE data_source, user_group, mapping_entry;
-- In the transaction that created the tables, TRUNCATE would have PostgreSQL plan for empty ones; not so in a subtransaction.
SAVEPOINT analyzed;
TRUNCATE account RESTART IDENTITY CASCADE;
RELEASE SAVEPOINT analyzed;`;

export class Baseline1765100000000 implements LockingMigration {
  readonly name = "Baseline1765100000000";
  readonly locks = {};

  async up(queryRunner: QueryRunner): Promise<void> {
    const [{ schema }] = await queryRunner.query("SELECT quote_ident(current_schema()) AS schema");
    await queryRunner.query([TABLES, INDEXES, ...STATE_INDEXES, STATISTICS, CHANGE_RECORDING].join("\n"));
    for (const [table, policies] of Object.entries(POLICIES)) {
      // Forced: it holds for the owner of the tables, too.
      await queryRunner.query(`
        ${policies.map((policy) => `CREATE POLICY ${policy};`).join("\n        ")}
        ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
        ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;`);
    }
    await queryRunner.query(`
      -- Only the owner may analyze, but whoever fills empty tables cannot wait for autovacuum. Named last, pg_temp cannot put objects of a
      -- caller before those that the function means.
      CREATE FUNCTION analyze_imported() RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, ${schema}, pg_temp
        AS 'ANALYZE user_group, mapping_entry, brought_token, data_source';
      REVOKE ALL ON FUNCTION analyze_imported() FROM PUBLIC;`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP FUNCTION analyze_imported();
      DROP TABLE ${Object.keys(POLICIES).join(", ")};
      ${RECORDING_FUNCTIONS.map((name) => `DROP FUNCTION ${name}();`).join("\n      ")}
      DROP SEQUENCE user_group_team_id;
      DROP TYPE webhook_delivery_state;
      DROP TYPE api_key_scope;
      DROP TYPE environment;`);
  }
}
