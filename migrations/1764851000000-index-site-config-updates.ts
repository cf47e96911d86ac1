import type { MigrationInterface, QueryRunner } from "typeorm";

export class IndexSiteConfigUpdates1764851000000 implements MigrationInterface {
  readonly name = "IndexSiteConfigUpdates1764851000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      "CREATE INDEX site_config_updated_at_ix ON site_config (account_id, environment, updated_at, id)",
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("DROP INDEX site_config_updated_at_ix");
  }
}
