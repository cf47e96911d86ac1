import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";
import { runSeparately } from "./shared/transactions.js";

/** Releases before this one set no `app.audit_actor` and rely on the triggers, as do changes by hand. */
const UNRECORDED = "coalesce(current_setting('app.audit_actor', true), '') = ''";

interface Trigger {
  readonly name: string;
  readonly on: string;
  readonly when?: string;
  readonly executes: string;
}

const TRIGGERS: readonly Trigger[] = [
  {
    name: "user_group_insert_audit",
    on: "AFTER INSERT ON user_group REFERENCING NEW TABLE AS now_rows FOR EACH STATEMENT",
    executes: "user_group_audit()",
  },
  {
    name: "user_group_update_audit",
    on: "AFTER UPDATE ON user_group REFERENCING NEW TABLE AS now_rows OLD TABLE AS old_rows FOR EACH STATEMENT",
    executes: "user_group_audit()",
  },
  {
    name: "user_group_delete_audit",
    on: "AFTER DELETE ON user_group REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT",
    executes: "user_group_audit()",
  },
  {
    name: "data_source_audit",
    on: "AFTER INSERT OR UPDATE OR DELETE ON data_source FOR EACH ROW",
    executes: "data_source_audit()",
  },
  {
    name: "api_key_insert_audit",
    on: "AFTER INSERT ON api_key FOR EACH ROW",
    executes: "api_key_audit()",
  },
  {
    name: "api_key_revoke_audit",
    on: "AFTER UPDATE ON api_key FOR EACH ROW",
    when: "OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL",
    executes: "api_key_audit()",
  },
  {
    name: "site_config_revision_audit",
    on: "AFTER INSERT ON site_config_revision FOR EACH ROW",
    executes: "site_config_revision_audit()",
  },
  {
    name: "site_config_audit",
    on: "AFTER UPDATE ON site_config FOR EACH ROW",
    when: `(OLD.public_from IS NULL) <> (NEW.public_from IS NULL)
      OR (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)`,
    executes: "site_config_audit()",
  },
  {
    name: "webhook_endpoint_audit",
    on: `AFTER INSERT OR DELETE OR UPDATE OF name, url, events, disabled_at, deleted_at, secret_ciphertext
      ON webhook_endpoint FOR EACH ROW`,
    executes: "webhook_endpoint_audit()",
  },
  {
    name: "audit_entry_webhook",
    on: "AFTER INSERT ON audit_entry REFERENCING NEW TABLE AS entries FOR EACH STATEMENT",
    executes: "audit_entry_webhook()",
  },
];

export class AuditByStatements1764901000000 implements LockingMigration {
  readonly name = "AuditByStatements1764901000000";
  readonly transaction = false;
  readonly locks = {
    user_group: "SHARE ROW EXCLUSIVE",
    data_source: "SHARE ROW EXCLUSIVE",
    api_key: "SHARE ROW EXCLUSIVE",
    site_config: "SHARE ROW EXCLUSIVE",
    site_config_revision: "SHARE ROW EXCLUSIVE",
    webhook_endpoint: "SHARE ROW EXCLUSIVE",
    audit_entry: "SHARE ROW EXCLUSIVE",
  } as const;

  /**
   * Statements that make changes record them in the audit log and the outbox. The triggers that did so remain for processes of the former
   * release during a rolling upgrade. Changes the catalog only; each table is locked against writes for that moment.
   */
  async up(queryRunner: QueryRunner): Promise<void> {
    await replaceTriggers(queryRunner, (when) =>
      when === undefined ? UNRECORDED : `${UNRECORDED} AND (${when})`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await replaceTriggers(queryRunner, (when) => when);
  }
}

async function replaceTriggers(
  queryRunner: QueryRunner,
  conditionOf: (when: string | undefined) => string | undefined,
): Promise<void> {
  const texts = TRIGGERS.map(({ name, on, when, executes }) => {
    const condition = conditionOf(when);
    const clause = condition === undefined ? "" : `WHEN (${condition})`;
    return `CREATE OR REPLACE TRIGGER ${name} ${on} ${clause} EXECUTE FUNCTION ${executes}`;
  });
  await runSeparately(queryRunner, texts);
}
