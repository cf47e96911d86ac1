import type { MigrationInterface, QueryRunner } from "typeorm";

const ACCOUNT = "account_id = current_setting('app.account_id')::integer";
const TENANT = `${ACCOUNT} AND environment = current_setting('app.environment')::environment`;
const OPERATOR = "current_setting('app.operator', true) = 'on'";
const SAME_ACCOUNT = "nullif(current_setting('app.account_id', true), '')::integer";

/** Which rows of each table may be touched, by the settings of the transaction. */
const POLICIES: Readonly<Record<string, string>> = {
  account: `${OPERATOR} OR id = ${SAME_ACCOUNT} OR name = nullif(current_setting('app.account_name', true), '')`,
  api_key: `${OPERATOR} OR account_id = ${SAME_ACCOUNT}`,
  data_source: ACCOUNT,
  user_group: TENANT,
  mapping_entry: TENANT,
  site_config: TENANT,
  site_config_revision: TENANT,
};

export class RowLevelSecurity1764100000000 implements MigrationInterface {
  readonly name = "RowLevelSecurity1764100000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, condition] of Object.entries(POLICIES)) {
      // Forced: it holds for the owner of the tables, too.
      await queryRunner.query(`
        CREATE POLICY ${table}_scope ON ${table} USING (${condition});
        ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
        ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
      `);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of Object.keys(POLICIES)) {
      await queryRunner.query(`
        ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY;
        ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY;
        DROP POLICY ${table}_scope ON ${table};
      `);
    }
  }
}
