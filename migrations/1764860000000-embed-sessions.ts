import type { MigrationInterface, QueryRunner } from "typeorm";

const OPERATOR = "current_setting('app.operator', true) = 'on'";

export class EmbedSessions1764860000000 implements MigrationInterface {
  readonly name = "EmbedSessions1764860000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- Incremented by each rotation of the token, which invalidates the embed sessions that name a former generation.
      ALTER TABLE user_group ADD COLUMN token_generation integer NOT NULL DEFAULT 1;

      -- Keys that sign embed sessions, shared by all accounts of the installation.
      CREATE TABLE signing_key (
        id text NOT NULL,
        algorithm text NOT NULL,
        public_key text NOT NULL,
        private_key_id text NOT NULL,
        private_key_ciphertext bytea NOT NULL,
        created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        signs_from timestamp(3) with time zone NOT NULL,
        retired_from timestamp(3) with time zone,
        CONSTRAINT signing_key_pk PRIMARY KEY (id)
      );
      -- One key has no successor: concurrent creations and rotations cannot add a second one.
      CREATE UNIQUE INDEX signing_key_newest_uq ON signing_key (algorithm) WHERE retired_from IS NULL;
      CREATE INDEX signing_key_retired_from_ix ON signing_key (retired_from);

      ALTER TABLE signing_key ENABLE ROW LEVEL SECURITY;
      ALTER TABLE signing_key FORCE ROW LEVEL SECURITY;
      CREATE POLICY signing_key_operator ON signing_key USING (${OPERATOR});
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      DROP TABLE signing_key;
      ALTER TABLE user_group DROP COLUMN token_generation;
    `);
  }
}
