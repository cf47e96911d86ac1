import type { QueryRunner } from "typeorm";
import { buildIndex, dropIndex } from "./shared/indexes.js";
import type { LockingMigration } from "./shared/locks.js";

export class AuditRequests1764930000000 implements LockingMigration {
  readonly name = "AuditRequests1764930000000";
  readonly transaction = false;
  readonly locks = { audit_entry: "SHARE UPDATE EXCLUSIVE" } as const;

  /** The console lists the entries of one request. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await buildIndex(
      queryRunner,
      "audit_entry_request_ix",
      "audit_entry (account_id, environment, request_id, created_at, id) WHERE request_id IS NOT NULL",
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, "audit_entry_request_ix");
  }
}
