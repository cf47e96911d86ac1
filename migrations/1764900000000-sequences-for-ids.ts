import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";
import { runSeparately } from "./shared/transactions.js";

const TABLES = {
  api_key: "integer",
  data_source: "integer",
  site_config: "integer",
  webhook_endpoint: "integer",
  audit_entry: "bigint",
  webhook_delivery: "bigint",
} as const;

export class SequencesForIds1764900000000 implements LockingMigration {
  readonly name = "SequencesForIds1764900000000";
  readonly transaction = false;
  readonly locks = {
    api_key: "ACCESS EXCLUSIVE",
    data_source: "ACCESS EXCLUSIVE",
    site_config: "ACCESS EXCLUSIVE",
    webhook_endpoint: "ACCESS EXCLUSIVE",
    audit_entry: "ACCESS EXCLUSIVE",
    webhook_delivery: "ACCESS EXCLUSIVE",
  } as const;

  /**
   * Replaces identity columns, which Citus does not distribute, by defaults from sequences. Changes the catalog only; each table is locked
   * exclusively for that moment.
   */
  async up(queryRunner: QueryRunner): Promise<void> {
    const texts = Object.entries(TABLES).map(([table, type]) =>
      unlessDone(
        table,
        "attidentity = ''",
        `ALTER TABLE ${table} ALTER COLUMN id DROP IDENTITY;
          EXECUTE format('CREATE SEQUENCE ${table}_id_seq AS ${type} START %s OWNED BY ${table}.id', next);
          ALTER TABLE ${table} ALTER COLUMN id SET DEFAULT nextval('${table}_id_seq');
          -- An identity column needs no privilege on its sequence, a default does: roles that insert rows continue to.
          FOR inserting IN SELECT grantee::regrole FROM pg_class, aclexplode(relacl)
            WHERE oid = '${table}'::regclass AND privilege_type = 'INSERT' AND grantee NOT IN (0, relowner)
          LOOP
            EXECUTE format('GRANT USAGE ON SEQUENCE ${table}_id_seq TO %s', inserting);
          END LOOP;`,
      ),
    );
    await runSeparately(queryRunner, texts);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const texts = Object.keys(TABLES).map((table) =>
      unlessDone(
        table,
        "attidentity <> ''",
        `ALTER TABLE ${table} ALTER COLUMN id DROP DEFAULT;
          DROP SEQUENCE ${table}_id_seq;
          EXECUTE format('ALTER TABLE ${table} ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (START %s)', next);`,
      ),
    );
    await runSeparately(queryRunner, texts);
  }
}

/**
 * Returns statements that lock the table against inserts and change its id, with the next value of its sequence in `next`.
 * @param isDone condition of pg_attribute that holds once the id has been changed
 */
function unlessDone(table: string, isDone: string, change: string): string {
  return `
        DO $$
        DECLARE
          next bigint;
          inserting regrole;
        BEGIN
          IF EXISTS (SELECT FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attname = 'id' AND ${isDone}) THEN
            RETURN;
          END IF;
          LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE;
          EXECUTE format('SELECT last_value + CASE WHEN is_called THEN 1 ELSE 0 END FROM %s', pg_get_serial_sequence('${table}', 'id'))
            INTO next;
          ${change}
        END $$;
      `;
}
