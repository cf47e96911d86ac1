import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";
import { buildIndex, dropIndex, runSeparately } from "./shared/online.js";

export class BulkChanges1796000000000 implements LockingMigration {
  readonly name = "BulkChanges1796000000000";
  readonly transaction = false;
  readonly locks = { audit_entry: "ACCESS EXCLUSIVE", user_group_history: "ACCESS EXCLUSIVE" } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    await runSeparately(queryRunner, [
      `CREATE SEQUENCE IF NOT EXISTS bulk_change_id_seq AS bigint MAXVALUE ${Number.MAX_SAFE_INTEGER};
      CREATE TABLE IF NOT EXISTS bulk_change (
        account_id integer NOT NULL,
        environment environment NOT NULL,
        id bigint NOT NULL DEFAULT nextval('bulk_change_id_seq'),
        change_id uuid NOT NULL,
        undo_of uuid,
        changed text[] NOT NULL,
        author_name text NOT NULL,
        fingerprint bytea NOT NULL,
        changed_count integer NOT NULL DEFAULT 0,
        created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT bulk_change_pk PRIMARY KEY (account_id, environment, id),
        CONSTRAINT bulk_change_change_id_uq UNIQUE (account_id, environment, change_id)
      );
      ALTER SEQUENCE bulk_change_id_seq OWNED BY bulk_change.id;
      DROP POLICY IF EXISTS bulk_change_scope ON bulk_change;
      CREATE POLICY bulk_change_scope ON bulk_change USING (
        account_id = nullif(current_setting('app.account_id', true), '')::integer
        AND environment = nullif(current_setting('app.environment', true), '')::environment);
      ALTER TABLE bulk_change ENABLE ROW LEVEL SECURITY;
      ALTER TABLE bulk_change FORCE ROW LEVEL SECURITY`,
      "ALTER TABLE user_group_history ADD COLUMN IF NOT EXISTS bulk_change_id uuid",
      "ALTER TABLE audit_entry ADD COLUMN IF NOT EXISTS bulk_change_id uuid",
    ]);
    // One for the groups of a bulk change, one for its entries in the order of the audit log.
    for (const [name, columns] of Object.entries(INDEXES))
      await buildIndex(
        queryRunner,
        name,
        `audit_entry (account_id, environment, bulk_change_id, ${columns}) WHERE bulk_change_id IS NOT NULL`,
      );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await dropIndex(queryRunner, name);
    await runSeparately(queryRunner, [
      "ALTER TABLE audit_entry DROP COLUMN IF EXISTS bulk_change_id",
      "ALTER TABLE user_group_history DROP COLUMN IF EXISTS bulk_change_id",
      "DROP TABLE IF EXISTS bulk_change",
    ]);
  }
}

const INDEXES = {
  audit_entry_bulk_subject_ix: "subject_id, created_at, id",
  audit_entry_bulk_ix: "created_at, id",
} as const;
