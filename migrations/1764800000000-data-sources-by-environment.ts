import type { MigrationInterface, QueryRunner } from "typeorm";

const ACCOUNT = "account_id = current_setting('app.account_id')::integer";
const TENANT = `${ACCOUNT} AND environment = current_setting('app.environment')::environment`;

/** Whether user groups of an environment are mapped to the data source. */
const mappedIn = (environment: "Customer" | "Testing") => `EXISTS (
  SELECT FROM mapping_entry WHERE mapping_entry.account_id = data_source.account_id
    AND mapping_entry.data_source_id = data_source.id AND mapping_entry.environment = '${environment}')`;

/** Lets the owner of the tables see all rows, and writes no audit entries: nobody changed anything. */
const BEGIN_REWRITE = `
  ALTER TABLE data_source NO FORCE ROW LEVEL SECURITY;
  ALTER TABLE mapping_entry NO FORCE ROW LEVEL SECURITY;
  ALTER TABLE data_source DISABLE TRIGGER data_source_audit;
  ALTER TABLE mapping_entry DROP CONSTRAINT mapping_entry_data_source_fk;
  ALTER TABLE data_source DROP CONSTRAINT data_source_provided_id_uq;
  ALTER TABLE data_source DROP CONSTRAINT data_source_pk;`;

const END_REWRITE = `
  ALTER TABLE data_source ENABLE TRIGGER data_source_audit;
  ALTER TABLE mapping_entry FORCE ROW LEVEL SECURITY;
  ALTER TABLE data_source FORCE ROW LEVEL SECURITY;`;

/** @param environment the environment of the audit entry, as SQL */
const auditFunction = (environment: string) => `
  CREATE OR REPLACE FUNCTION data_source_audit() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    subject data_source := coalesce(NEW, OLD);
    changed text[] := '{}';
  BEGIN
    IF TG_OP = 'UPDATE' THEN
      changed := array_remove(ARRAY[
        CASE WHEN NEW.provided_id <> OLD.provided_id THEN 'providedId' END,
        CASE WHEN NEW.name <> OLD.name THEN 'name' END
      ], NULL);
    END IF;
    INSERT INTO audit_entry (account_id, environment, action, subject_id, subject_name, version, changed, actor_key_id,
      actor_name, request_id)
    SELECT subject.account_id, ${environment},
      CASE TG_OP WHEN 'INSERT' THEN 'data_source.created' WHEN 'UPDATE' THEN 'data_source.updated'
        ELSE 'data_source.deleted' END,
      subject.id, subject.provided_id, NULL, changed, (who ->> 'keyId')::integer,
      coalesce(who ->> 'name', session_user::text), who ->> 'requestId'
    FROM (SELECT nullif(current_setting('app.actor', true), '')::json AS who) AS actor;
    RETURN NULL;
  END $$;`;

export class DataSourcesByEnvironment1764800000000 implements MigrationInterface {
  readonly name = "DataSourcesByEnvironment1764800000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ${BEGIN_REWRITE}
      -- Each data source goes to the environments that map it, or to both when none does. It keeps its id in Customer, or in
      -- Testing when only Testing maps it.
      ALTER TABLE data_source ADD COLUMN environment environment, ADD COLUMN copy_of integer;
      UPDATE data_source SET environment =
        (CASE WHEN ${mappedIn("Testing")} AND NOT ${mappedIn("Customer")} THEN 'Testing' ELSE 'Customer' END)::environment;
      INSERT INTO data_source (account_id, environment, provided_id, name, created_at, copy_of)
      SELECT account_id, 'Testing', provided_id, name, created_at, id FROM data_source
      WHERE environment = 'Customer' AND (${mappedIn("Testing")} OR NOT ${mappedIn("Customer")})
      ORDER BY account_id, id;
      UPDATE mapping_entry SET data_source_id = copy.id FROM data_source AS copy
      WHERE copy.account_id = mapping_entry.account_id AND copy.copy_of = mapping_entry.data_source_id
        AND mapping_entry.environment = 'Testing';
      ALTER TABLE data_source DROP COLUMN copy_of, ALTER COLUMN environment SET NOT NULL,
        ADD CONSTRAINT data_source_pk PRIMARY KEY (account_id, environment, id),
        ADD CONSTRAINT data_source_provided_id_uq UNIQUE (account_id, environment, provided_id);
      ALTER TABLE mapping_entry ADD CONSTRAINT mapping_entry_data_source_fk
        FOREIGN KEY (account_id, environment, data_source_id) REFERENCES data_source (account_id, environment, id);
      ${END_REWRITE}
      ALTER POLICY data_source_scope ON data_source USING (${TENANT});
      ${auditFunction("subject.environment")}
    `);
  }

  /**
   * Merges the data sources of the two environments that have the same provided id; Customer's row and id stay.
   * @throws Error when two of them have different names: which one is right, only the account's owner knows
   */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      ALTER POLICY data_source_scope ON data_source USING (${ACCOUNT});
      ${BEGIN_REWRITE}
      DO $$
      DECLARE
        conflict record;
      BEGIN
        SELECT account_id, provided_id, customer.name AS customer_name, testing.name AS testing_name INTO conflict
        FROM data_source AS customer JOIN data_source AS testing USING (account_id, provided_id)
        WHERE customer.environment = 'Customer' AND testing.environment = 'Testing' AND customer.name <> testing.name
        ORDER BY account_id, provided_id LIMIT 1;
        IF FOUND THEN
          RAISE EXCEPTION 'Data source "%" of account % is named "%" in Customer and "%" in Testing. Give both the same name, then run "migrate down" again.',
            conflict.provided_id, conflict.account_id, conflict.customer_name, conflict.testing_name;
        END IF;
      END $$;
      UPDATE mapping_entry SET data_source_id = customer.id
      FROM data_source AS testing JOIN data_source AS customer USING (account_id, provided_id)
      WHERE testing.environment = 'Testing' AND customer.environment = 'Customer'
        AND mapping_entry.account_id = testing.account_id AND mapping_entry.data_source_id = testing.id;
      DELETE FROM data_source AS testing USING data_source AS customer
      WHERE testing.environment = 'Testing' AND customer.environment = 'Customer'
        AND customer.account_id = testing.account_id AND customer.provided_id = testing.provided_id;
      ALTER TABLE data_source DROP COLUMN environment,
        ADD CONSTRAINT data_source_pk PRIMARY KEY (account_id, id),
        ADD CONSTRAINT data_source_provided_id_uq UNIQUE (account_id, provided_id);
      ALTER TABLE mapping_entry ADD CONSTRAINT mapping_entry_data_source_fk
        FOREIGN KEY (account_id, data_source_id) REFERENCES data_source (account_id, id);
      ${END_REWRITE}
      ${auditFunction("current_setting('app.environment')::environment")}
    `);
  }
}
