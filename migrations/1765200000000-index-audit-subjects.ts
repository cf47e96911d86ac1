import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";
import { buildIndex, dropIndex } from "./shared/online.js";

export class IndexAuditSubjects1765200000000 implements LockingMigration {
  readonly name = "IndexAuditSubjects1765200000000";
  readonly transaction = false;
  readonly locks = { audit_entry: "SHARE UPDATE EXCLUSIVE" } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    await buildIndex(
      queryRunner,
      "audit_entry_subject_ix",
      "audit_entry (account_id, environment, subject_id, created_at, id)",
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, "audit_entry_subject_ix");
  }
}
