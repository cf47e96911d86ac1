import type { QueryRunner } from "typeorm";
import { buildIndex, dropIndex } from "./shared/indexes.js";
import type { LockingMigration } from "./shared/locks.js";

type Indexes = Readonly<Record<string, string>>;

/** The purge reads the rows of one tenant, oldest first. */
const BY_TENANT: Indexes = {
  audit_entry_erasable_ix: `audit_entry (account_id, environment, created_at)
    WHERE action = 'user_group.deleted' AND subject_name !~ '^erased:[0-9a-f]{32}$'`,
  webhook_delivery_completed_ix:
    "webhook_delivery (account_id, environment, created_at) WHERE state <> 'pending'",
  webhook_delivery_queued_ix: "webhook_delivery (account_id, environment, queued_at) WHERE state = 'pending'",
  idempotent_request_expiry_ix: "idempotent_request (account_id, environment, created_at)",
};

/** Before, it read those of all tenants. */
const FOR_ALL: Indexes = {
  idempotent_request_created_ix: "idempotent_request (created_at)",
  webhook_delivery_queued_at_ix: "webhook_delivery (queued_at) WHERE state = 'pending'",
  webhook_delivery_created_at_ix: "webhook_delivery (created_at) WHERE state <> 'pending'",
};

export class PurgeIndexes1764911000000 implements LockingMigration {
  readonly name = "PurgeIndexes1764911000000";
  readonly transaction = false;
  readonly locks = {
    audit_entry: "SHARE UPDATE EXCLUSIVE",
    idempotent_request: "SHARE UPDATE EXCLUSIVE",
    webhook_delivery: "SHARE UPDATE EXCLUSIVE",
  } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    await replaceIndexes(queryRunner, FOR_ALL, BY_TENANT);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await replaceIndexes(queryRunner, BY_TENANT, FOR_ALL);
  }
}

async function replaceIndexes(queryRunner: QueryRunner, former: Indexes, next: Indexes): Promise<void> {
  for (const [name, on] of Object.entries(next)) await buildIndex(queryRunner, name, on);
  for (const name of Object.keys(former)) await dropIndex(queryRunner, name);
}
