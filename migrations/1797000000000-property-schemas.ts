import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";

export class PropertySchemas1797000000000 implements LockingMigration {
  readonly name = "PropertySchemas1797000000000";
  readonly locks = {};

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE property_schema (
        account_id integer NOT NULL,
        environment environment NOT NULL,
        schema text,
        mode text NOT NULL,
        version integer NOT NULL,
        updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT property_schema_pk PRIMARY KEY (account_id, environment)
      );
      CREATE POLICY property_schema_scope ON property_schema USING (
        account_id = nullif(current_setting('app.account_id', true), '')::integer
        AND environment = nullif(current_setting('app.environment', true), '')::environment);
      ALTER TABLE property_schema ENABLE ROW LEVEL SECURITY;
      ALTER TABLE property_schema FORCE ROW LEVEL SECURITY;`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("DROP TABLE property_schema");
  }
}
