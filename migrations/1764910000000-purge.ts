import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";
import { runSeparately } from "./shared/transactions.js";

const TENANT = `account_id = nullif(current_setting('app.account_id', true), '')::integer
  AND environment = nullif(current_setting('app.environment', true), '')::environment`;
const OPERATOR = "current_setting('app.operator', true) = 'on'";

export class Purge1764910000000 implements LockingMigration {
  readonly name = "Purge1764910000000";
  readonly transaction = false;
  readonly locks = { audit_entry: "ACCESS EXCLUSIVE", idempotent_request: "ACCESS EXCLUSIVE" } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    await runSeparately(queryRunner, [
      `
      -- The application role deletes old entries only, and the only name that it writes into an entry is a pseudonym.
      DROP POLICY IF EXISTS audit_entry_purge ON audit_entry;
      CREATE POLICY audit_entry_purge ON audit_entry FOR DELETE
        USING (${TENANT} AND created_at < now() - interval '30 days');
      DROP POLICY IF EXISTS audit_entry_erase ON audit_entry;
      CREATE POLICY audit_entry_erase ON audit_entry FOR UPDATE
        USING (${TENANT}) WITH CHECK (${TENANT} AND subject_name ~ '^erased:[0-9a-f]{32}$');
      -- The owner role deletes all entries of a deleted account.
      DROP POLICY IF EXISTS audit_entry_owner ON audit_entry;
      CREATE POLICY audit_entry_owner ON audit_entry FOR DELETE TO CURRENT_USER USING (${TENANT});
      `,
      `
      -- The purge works tenant by tenant.
      DROP POLICY IF EXISTS idempotent_request_see ON idempotent_request;
      DROP POLICY IF EXISTS idempotent_request_forget ON idempotent_request;
      `,
      `
      -- Which process runs a job of which only one may run at a time, and when it was last completed.
      CREATE TABLE IF NOT EXISTS background_job (
        name text NOT NULL,
        holder uuid NOT NULL,
        held_until timestamptz NOT NULL,
        completed_at timestamptz,
        CONSTRAINT background_job_pk PRIMARY KEY (name)
      );
      ALTER TABLE background_job ENABLE ROW LEVEL SECURITY;
      ALTER TABLE background_job FORCE ROW LEVEL SECURITY;
      DROP POLICY IF EXISTS background_job_operator ON background_job;
      CREATE POLICY background_job_operator ON background_job USING (${OPERATOR});
      `,
    ]);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await runSeparately(queryRunner, [
      "DROP TABLE IF EXISTS background_job",
      `
      DROP POLICY IF EXISTS idempotent_request_see ON idempotent_request;
      CREATE POLICY idempotent_request_see ON idempotent_request FOR SELECT USING (${OPERATOR});
      DROP POLICY IF EXISTS idempotent_request_forget ON idempotent_request;
      CREATE POLICY idempotent_request_forget ON idempotent_request FOR DELETE USING (${OPERATOR});
      `,
      `
      DROP POLICY IF EXISTS audit_entry_owner ON audit_entry;
      DROP POLICY IF EXISTS audit_entry_erase ON audit_entry;
      DROP POLICY IF EXISTS audit_entry_purge ON audit_entry;
      `,
    ]);
  }
}
