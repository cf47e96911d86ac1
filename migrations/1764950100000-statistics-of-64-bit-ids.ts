import type { QueryRunner } from "typeorm";
import { InitialStatistics1764921000000 } from "./1764921000000-initial-statistics.js";
import type { LockingMigration } from "./shared/locks.js";

export class StatisticsOf64BitIds1764950100000 implements LockingMigration {
  readonly name = "StatisticsOf64BitIds1764950100000";
  readonly locks = {
    account: "SHARE ROW EXCLUSIVE",
    user_group: "SHARE UPDATE EXCLUSIVE",
    data_source: "SHARE UPDATE EXCLUSIVE",
    mapping_entry: "SHARE UPDATE EXCLUSIVE",
    brought_token: "SHARE UPDATE EXCLUSIVE",
    api_key: "SHARE UPDATE EXCLUSIVE",
    site_config: "SHARE UPDATE EXCLUSIVE",
    site_config_revision: "SHARE UPDATE EXCLUSIVE",
    audit_entry: "SHARE UPDATE EXCLUSIVE",
    webhook_endpoint: "SHARE UPDATE EXCLUSIVE",
    webhook_delivery: "SHARE UPDATE EXCLUSIVE",
  } as const;

  /** Replaces the statistics that the columns lost with their former type. */
  async up(queryRunner: QueryRunner): Promise<void> {
    // Not in the transaction that changes the types: TRUNCATE would have PostgreSQL plan for empty tables.
    await new InitialStatistics1764921000000().up(queryRunner);
    await queryRunner.query(`
      DO $$
      BEGIN
        IF EXISTS (SELECT FROM account) THEN
          ANALYZE ${Object.keys(this.locks).join(", ")};
        END IF;
      END $$`);
  }

  async down(): Promise<void> {
    // Statistics are no part of the schema.
  }
}
