import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";

export class GroupsOfStoredReplies1765030000000 implements LockingMigration {
  readonly name = "GroupsOfStoredReplies1765030000000";
  readonly locks = { idempotent_request: "ACCESS EXCLUSIVE" } as const;

  /** The groups that a stored reply may name, so that erasing one finds it. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("ALTER TABLE idempotent_request ADD COLUMN user_group_ids bigint[]");
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("ALTER TABLE idempotent_request DROP COLUMN user_group_ids");
  }
}
