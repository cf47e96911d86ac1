import type { QueryRunner } from "typeorm";
import { buildIndex, dropIndex } from "./shared/indexes.js";
import type { LockingMigration } from "./shared/locks.js";

export class IndexAuditActors1765010000000 implements LockingMigration {
  readonly name = "IndexAuditActors1765010000000";
  readonly transaction = false;
  readonly locks = { audit_entry: "SHARE UPDATE EXCLUSIVE" } as const;

  /** The entries of one person or API key. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await buildIndex(
      queryRunner,
      "audit_entry_actor_ix",
      "audit_entry (account_id, environment, actor_name, created_at, id)",
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, "audit_entry_actor_ix");
  }
}
