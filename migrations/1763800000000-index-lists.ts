import type { MigrationInterface, QueryRunner } from "typeorm";

export class IndexLists1763800000000 implements MigrationInterface {
  readonly name = "IndexLists1763800000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX user_group_name_ix ON user_group (account_id, environment, name, id);
      CREATE INDEX user_group_created_at_ix ON user_group (account_id, environment, created_at, id);
      CREATE INDEX user_group_updated_at_ix ON user_group (account_id, environment, updated_at, id);

      -- Serves the check before a data source is deleted and, being complete, the list of the groups mapped to one.
      CREATE INDEX mapping_entry_user_group_ix
        ON mapping_entry (account_id, data_source_id, environment, user_group_id);
      DROP INDEX mapping_entry_data_source_ix;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX mapping_entry_data_source_ix ON mapping_entry (account_id, data_source_id);
      DROP INDEX mapping_entry_user_group_ix;
      DROP INDEX user_group_updated_at_ix;
      DROP INDEX user_group_created_at_ix;
      DROP INDEX user_group_name_ix;
    `);
  }
}
