import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";

const scope = (table: string) => `
      CREATE POLICY ${table}_scope ON ${table} USING (
        account_id = nullif(current_setting('app.account_id', true), '')::integer
        AND environment = nullif(current_setting('app.environment', true), '')::environment);
      ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
      ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;`;

export class SessionTemplates1795866000000 implements LockingMigration {
  readonly name = "SessionTemplates1795866000000";
  readonly locks = { audit_entry: "ACCESS EXCLUSIVE" } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE SEQUENCE session_template_id_seq AS bigint MAXVALUE ${Number.MAX_SAFE_INTEGER};
      CREATE TABLE session_template (
        account_id integer NOT NULL,
        environment environment NOT NULL,
        id bigint NOT NULL DEFAULT nextval('session_template_id_seq'),
        name text COLLATE "C" NOT NULL,
        description text NOT NULL,
        algorithm text NOT NULL,
        header text NOT NULL,
        claims text NOT NULL,
        lifetime_seconds integer NOT NULL,
        url text,
        secret_key_id text,
        secret_ciphertext bytea,
        secret_lookup bytea,
        version integer NOT NULL DEFAULT 1,
        created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT session_template_pk PRIMARY KEY (account_id, environment, id),
        CONSTRAINT session_template_name_uq UNIQUE (account_id, environment, name)
      );
      ALTER SEQUENCE session_template_id_seq OWNED BY session_template.id;
      ${scope("session_template")}
      CREATE TABLE template_signing_key (
        account_id integer NOT NULL,
        environment environment NOT NULL,
        id text NOT NULL,
        algorithm text NOT NULL,
        public_key text NOT NULL,
        private_key_id text NOT NULL,
        private_key_ciphertext bytea NOT NULL,
        created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        signs_from timestamp(3) with time zone NOT NULL,
        retired_from timestamp(3) with time zone,
        CONSTRAINT template_signing_key_pk PRIMARY KEY (account_id, environment, id)
      );
      CREATE UNIQUE INDEX template_signing_key_newest_uq ON template_signing_key (account_id, environment, algorithm)
        WHERE retired_from IS NULL;
      ${scope("template_signing_key")}`);
    await queryRunner.query("ALTER TABLE audit_entry ADD COLUMN session_id text");
  }

  // One by one: Citus sends the whole text of a change of a distributed table to its workers.
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("ALTER TABLE audit_entry DROP COLUMN session_id");
    await queryRunner.query("DROP TABLE template_signing_key");
    await queryRunner.query("DROP TABLE session_template");
  }
}
