import type { MigrationInterface, QueryRunner } from "typeorm";

export class AnalyzeImports1764710000000 implements MigrationInterface {
  readonly name = "AnalyzeImports1764710000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- Only the owner may analyze, but whoever fills empty tables cannot wait for autovacuum: until then foreign keys are checked by
      -- an index that takes longer with each row.
      CREATE FUNCTION analyze_imported() RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT
        AS 'ANALYZE user_group, mapping_entry, brought_token, data_source';
      REVOKE EXECUTE ON FUNCTION analyze_imported() FROM PUBLIC;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("DROP FUNCTION analyze_imported()");
  }
}
