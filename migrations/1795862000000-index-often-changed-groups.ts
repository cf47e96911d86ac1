import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";
import { buildIndex, dropIndex } from "./shared/online.js";

export class IndexOftenChangedGroups1795862000000 implements LockingMigration {
  readonly name = "IndexOftenChangedGroups1795862000000";
  readonly transaction = false;
  readonly locks = { user_group_history: "SHARE UPDATE EXCLUSIVE" } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    // Shows which groups have many versions; rotations count as versions without a row, so that no sample of them would.
    await buildIndex(
      queryRunner,
      "user_group_history_version_ix",
      "user_group_history (account_id, environment, version, user_group_id) WHERE version >= 100",
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, "user_group_history_version_ix");
  }
}
