import type { MigrationInterface, QueryRunner } from "typeorm";

const ACCOUNT = "account_id = nullif(current_setting('app.account_id', true), '')::integer";
const ENVIRONMENT = "environment = nullif(current_setting('app.environment', true), '')";
const OPERATOR = "current_setting('app.operator', true) = 'on'";

/** The one form of a tenant's policy, by the type of the column `environment`. Without the settings, no row matches. */
const ENUM_TENANT = `${ACCOUNT} AND ${ENVIRONMENT}::environment`;
const TEXT_TENANT = `${ACCOUNT} AND ${ENVIRONMENT}`;

// The conditions before this migration.
const STRICT_TENANT = `account_id = current_setting('app.account_id')::integer
  AND environment = current_setting('app.environment')::environment`;
const FORMER_TEXT_TENANT = `${ACCOUNT} AND environment = current_setting('app.environment', true)`;

const ENUM_TABLES = ["data_source", "user_group", "mapping_entry", "site_config", "site_config_revision"];
const WEBHOOK_TABLES = ["webhook_endpoint", "webhook_delivery"];

export class TenantPolicies1764801000000 implements MigrationInterface {
  readonly name = "TenantPolicies1764801000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of [...ENUM_TABLES, "audit_entry"]) {
      await queryRunner.query(`ALTER POLICY ${table}_scope ON ${table} USING (${ENUM_TENANT})`);
    }
    for (const table of [...WEBHOOK_TABLES, "idempotent_request"]) {
      await queryRunner.query(`ALTER POLICY ${table}_scope ON ${table} USING (${TEXT_TENANT})`);
    }
    const [{ schema }] = await queryRunner.query("SELECT quote_ident(current_schema()) AS schema");
    await queryRunner.query(`
      -- An API key belongs to an environment, too. Commands list and revoke the keys of all accounts, and the service notes their use.
      ALTER POLICY api_key_scope ON api_key USING (${ENUM_TENANT});
      CREATE POLICY api_key_operator ON api_key USING (${OPERATOR});
      -- Entries could be added for any account before. Commands revoke keys as the operator, which the trigger writes down.
      ALTER POLICY audit_entry_append ON audit_entry WITH CHECK (${ENUM_TENANT});
      CREATE POLICY audit_entry_operator ON audit_entry FOR INSERT WITH CHECK (${OPERATOR});
      -- Named last, pg_temp cannot put objects of a caller before those that the function means.
      ALTER FUNCTION analyze_imported() SET search_path = pg_catalog, ${schema}, pg_temp;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER FUNCTION analyze_imported() SET search_path FROM CURRENT;
      DROP POLICY audit_entry_operator ON audit_entry;
      ALTER POLICY audit_entry_append ON audit_entry WITH CHECK (true);
      DROP POLICY api_key_operator ON api_key;
      ALTER POLICY api_key_scope ON api_key USING (${OPERATOR} OR ${ACCOUNT});
      ALTER POLICY idempotent_request_scope ON idempotent_request
        USING (account_id = nullif(current_setting('app.account_id'), '')::integer AND environment = current_setting('app.environment'));
    `);
    for (const table of WEBHOOK_TABLES) {
      await queryRunner.query(`ALTER POLICY ${table}_scope ON ${table} USING (${FORMER_TEXT_TENANT})`);
    }
    for (const table of [...ENUM_TABLES, "audit_entry"]) {
      await queryRunner.query(`ALTER POLICY ${table}_scope ON ${table} USING (${STRICT_TENANT})`);
    }
  }
}
