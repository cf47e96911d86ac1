import type { MigrationInterface, QueryRunner } from "typeorm";

export class IndexPages1764820000000 implements MigrationInterface {
  readonly name = "IndexPages1764820000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- IF NOT EXISTS: large ones may have been built beforehand.
      CREATE INDEX IF NOT EXISTS audit_entry_created_at_ix ON audit_entry (account_id, environment, created_at, id);
      CREATE INDEX IF NOT EXISTS audit_entry_action_ix ON audit_entry (account_id, environment, action, created_at, id);
      CREATE INDEX IF NOT EXISTS audit_entry_subject_name_ix ON audit_entry (account_id, environment, subject_name, created_at, id);
      DROP INDEX audit_entry_subject_ix;

      CREATE INDEX IF NOT EXISTS data_source_name_ix ON data_source (account_id, environment, name, id);
      CREATE INDEX IF NOT EXISTS data_source_created_at_ix ON data_source (account_id, environment, created_at, id);

      -- Partial, as a condition on the state cannot be one of an index: comparisons of enums are not leakproof.
      CREATE INDEX IF NOT EXISTS webhook_delivery_endpoint_ix ON webhook_delivery (account_id, environment, endpoint_id, id);
      CREATE INDEX IF NOT EXISTS webhook_delivery_pending_ix ON webhook_delivery (account_id, environment, id) WHERE state = 'pending';
      CREATE INDEX IF NOT EXISTS webhook_delivery_delivered_ix ON webhook_delivery (account_id, environment, id)
        WHERE state = 'delivered';
      CREATE INDEX IF NOT EXISTS webhook_delivery_dead_ix ON webhook_delivery (account_id, environment, id) WHERE state = 'dead';
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP INDEX webhook_delivery_dead_ix;
      DROP INDEX webhook_delivery_delivered_ix;
      DROP INDEX webhook_delivery_pending_ix;
      DROP INDEX webhook_delivery_endpoint_ix;
      DROP INDEX data_source_created_at_ix;
      DROP INDEX data_source_name_ix;
      CREATE INDEX audit_entry_subject_ix ON audit_entry (account_id, environment, action, subject_id, id);
      DROP INDEX audit_entry_subject_name_ix;
      DROP INDEX audit_entry_action_ix;
      DROP INDEX audit_entry_created_at_ix;
    `);
  }
}
