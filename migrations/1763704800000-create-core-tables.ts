import type { MigrationInterface, QueryRunner } from "typeorm";

export class CreateCoreTables1763704800000 implements MigrationInterface {
  readonly name = "CreateCoreTables1763704800000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TYPE environment AS ENUM ('Customer', 'Testing');
      CREATE TYPE api_key_scope AS ENUM ('read', 'write', 'admin');

      CREATE TABLE account (
        id integer GENERATED ALWAYS AS IDENTITY,
        name character varying(255) NOT NULL,
        token_key_id text NOT NULL,
        created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT account_pk PRIMARY KEY (id),
        CONSTRAINT account_name_uq UNIQUE (name)
      );

      CREATE TABLE api_key (
        account_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY,
        environment environment NOT NULL,
        scope api_key_scope NOT NULL,
        name character varying(255) NOT NULL,
        hash bytea NOT NULL,
        hint text NOT NULL,
        created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        expires_at timestamp(3) with time zone,
        revoked_at timestamp(3) with time zone,
        last_used_at timestamp(3) with time zone,
        CONSTRAINT api_key_pk PRIMARY KEY (account_id, id),
        CONSTRAINT api_key_hash_uq UNIQUE (account_id, hash),
        CONSTRAINT api_key_account_fk FOREIGN KEY (account_id) REFERENCES account (id)
      );

      -- Ids and names that callers give are ordered by code points: the same on every server, and after its next upgrade.
      CREATE TABLE data_source (
        account_id integer NOT NULL,
        id integer GENERATED ALWAYS AS IDENTITY,
        provided_id character varying(255) COLLATE "C" NOT NULL,
        name character varying(255) COLLATE "C" NOT NULL,
        created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT data_source_pk PRIMARY KEY (account_id, id),
        CONSTRAINT data_source_provided_id_uq UNIQUE (account_id, provided_id),
        CONSTRAINT data_source_account_fk FOREIGN KEY (account_id) REFERENCES account (id)
      );

      -- Ids are drawn ahead of the insert, because a token is sealed for the id of its group.
      CREATE SEQUENCE user_group_team_id AS integer;

      -- properties is json, not jsonb: what is stored comes back with its keys in the order given.
      CREATE TABLE user_group (
        account_id integer NOT NULL,
        environment environment NOT NULL,
        id integer NOT NULL,
        provided_id character varying(255) COLLATE "C" NOT NULL,
        name character varying(255) COLLATE "C" NOT NULL,
        token_key_id text NOT NULL,
        token_ciphertext bytea NOT NULL,
        token_lookup bytea NOT NULL,
        previous_token_lookup bytea,
        previous_token_expires_at timestamp(3) with time zone,
        properties json,
        version integer NOT NULL DEFAULT 1,
        created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        updated_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT user_group_pk PRIMARY KEY (account_id, environment, id),
        CONSTRAINT user_group_provided_id_uq UNIQUE (account_id, environment, provided_id),
        CONSTRAINT user_group_token_uq UNIQUE (account_id, token_lookup),
        CONSTRAINT user_group_account_fk FOREIGN KEY (account_id) REFERENCES account (id)
      );
      CREATE INDEX user_group_previous_token_ix ON user_group (account_id, previous_token_lookup)
        WHERE previous_token_lookup IS NOT NULL;

      CREATE TABLE mapping_entry (
        account_id integer NOT NULL,
        environment environment NOT NULL,
        user_group_id integer NOT NULL,
        schema_id character varying(255) COLLATE "C" NOT NULL,
        data_source_id integer NOT NULL,
        CONSTRAINT mapping_entry_pk PRIMARY KEY (account_id, environment, user_group_id, schema_id),
        CONSTRAINT mapping_entry_user_group_fk FOREIGN KEY (account_id, environment, user_group_id)
          REFERENCES user_group (account_id, environment, id) ON DELETE CASCADE,
        CONSTRAINT mapping_entry_data_source_fk FOREIGN KEY (account_id, data_source_id)
          REFERENCES data_source (account_id, id)
      );
      CREATE INDEX mapping_entry_data_source_ix ON mapping_entry (account_id, data_source_id);
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE mapping_entry;
      DROP TABLE user_group;
      DROP SEQUENCE user_group_team_id;
      DROP TABLE data_source;
      DROP TABLE api_key;
      DROP TABLE account;
      DROP TYPE api_key_scope;
      DROP TYPE environment;
    `);
  }
}
