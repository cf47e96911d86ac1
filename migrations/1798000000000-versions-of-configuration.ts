import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";
import { runSeparately } from "./shared/online.js";

export class VersionsOfConfiguration1798000000000 implements LockingMigration {
  readonly name = "VersionsOfConfiguration1798000000000";
  readonly transaction = false;
  readonly locks = { data_source: "ACCESS EXCLUSIVE", webhook_endpoint: "ACCESS EXCLUSIVE" } as const;

  // A constant default is stored once, not in each row.
  async up(queryRunner: QueryRunner): Promise<void> {
    await runSeparately(
      queryRunner,
      COLUMNS.map(
        ([table, column]) =>
          `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${column} integer NOT NULL DEFAULT 1`,
      ),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await runSeparately(
      queryRunner,
      COLUMNS.map(([table, column]) => `ALTER TABLE ${table} DROP COLUMN IF EXISTS ${column}`),
    );
  }
}

const COLUMNS = [
  ["data_source", "version"],
  // The previous release reads `version` of the recorded event beside this table.
  ["webhook_endpoint", "edit_version"],
] as const;
