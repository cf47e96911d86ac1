import type { MigrationInterface, QueryRunner } from "typeorm";

export class PurgeIndexes1764911000000 implements MigrationInterface {
  readonly name = "PurgeIndexes1764911000000";
  /** The strongest lock on each table that exists before; that of dropping an index is short. */
  readonly locks = {
    audit_entry: "SHARE",
    idempotent_request: "ACCESS EXCLUSIVE",
    webhook_delivery: "ACCESS EXCLUSIVE",
  } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- The purge reads the rows of one tenant, oldest first. IF NOT EXISTS: large ones may have been built beforehand.
      CREATE INDEX IF NOT EXISTS audit_entry_erasable_ix ON audit_entry (account_id, environment, created_at)
        WHERE action = 'user_group.deleted' AND subject_name !~ '^erased:[0-9a-f]{32}$';
      CREATE INDEX IF NOT EXISTS webhook_delivery_completed_ix ON webhook_delivery (account_id, environment, created_at)
        WHERE state <> 'pending';
      CREATE INDEX IF NOT EXISTS webhook_delivery_queued_ix ON webhook_delivery (account_id, environment, queued_at)
        WHERE state = 'pending';
      CREATE INDEX IF NOT EXISTS idempotent_request_expiry_ix ON idempotent_request (account_id, environment, created_at);
      DROP INDEX webhook_delivery_created_at_ix, webhook_delivery_queued_at_ix, idempotent_request_created_ix;
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE INDEX idempotent_request_created_ix ON idempotent_request (created_at);
      CREATE INDEX webhook_delivery_queued_at_ix ON webhook_delivery (queued_at) WHERE state = 'pending';
      CREATE INDEX webhook_delivery_created_at_ix ON webhook_delivery (created_at) WHERE state <> 'pending';
      DROP INDEX idempotent_request_expiry_ix, webhook_delivery_queued_ix, webhook_delivery_completed_ix, audit_entry_erasable_ix;
    `);
  }
}
