import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";

export class ConsoleSessions1764861000000 implements LockingMigration {
  readonly name = "ConsoleSessions1764861000000";
  readonly locks = { api_key: "ACCESS EXCLUSIVE" } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("ALTER TABLE api_key ADD COLUMN sessions_valid_from timestamp(3) with time zone");
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("ALTER TABLE api_key DROP COLUMN sessions_valid_from");
  }
}
