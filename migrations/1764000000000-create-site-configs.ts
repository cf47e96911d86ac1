import type { MigrationInterface, QueryRunner } from "typeorm";

export class CreateSiteConfigs1764000000000 implements MigrationInterface {
  readonly name = "CreateSiteConfigs1764000000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- revision and size (in bytes) are those of the current revision; public_from is the first that everybody may read.
      CREATE TABLE site_config (
        account_id integer NOT NULL,
        environment environment NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY,
        site character varying(255) COLLATE "C" NOT NULL,
        public_from integer,
        revision integer NOT NULL,
        size integer NOT NULL,
        created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT site_config_pk PRIMARY KEY (account_id, environment, id),
        CONSTRAINT site_config_site_uq UNIQUE (account_id, environment, site),
        CONSTRAINT site_config_account_fk FOREIGN KEY (account_id) REFERENCES account (id)
      );

      -- The document is text, not json: it comes back byte for byte. The hash is its SHA-256.
      CREATE TABLE site_config_revision (
        account_id integer NOT NULL,
        environment environment NOT NULL,
        site_config_id integer NOT NULL,
        revision integer NOT NULL,
        text text NOT NULL,
        hash bytea NOT NULL,
        author character varying(255) NOT NULL,
        author_key_id integer,
        restored_from integer,
        created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT site_config_revision_pk PRIMARY KEY (account_id, environment, site_config_id, revision),
        CONSTRAINT site_config_revision_site_config_fk FOREIGN KEY (account_id, environment, site_config_id)
          REFERENCES site_config (account_id, environment, id)
      );
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE site_config_revision;
      DROP TABLE site_config;
    `);
  }
}
