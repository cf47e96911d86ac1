import type { MigrationInterface, QueryRunner } from "typeorm";

export class IdempotentRequests1764400000000 implements MigrationInterface {
  readonly name = "IdempotentRequests1764400000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- environment is text, as with webhooks: comparisons of enums are not leakproof. The reply is null while the request runs, which
      -- nobody sees: it runs in the transaction that makes the row.
      CREATE TABLE idempotent_request (
        account_id integer NOT NULL,
        environment text NOT NULL,
        key character varying(255) NOT NULL,
        fingerprint bytea NOT NULL,
        reply_key_id text,
        reply_ciphertext bytea,
        created_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        CONSTRAINT idempotent_request_pk PRIMARY KEY (account_id, environment, key),
        CONSTRAINT idempotent_request_account_fk FOREIGN KEY (account_id) REFERENCES account (id)
      );
      CREATE INDEX idempotent_request_created_ix ON idempotent_request (created_at);

      ALTER TABLE idempotent_request ENABLE ROW LEVEL SECURITY;
      ALTER TABLE idempotent_request FORCE ROW LEVEL SECURITY;
      CREATE POLICY idempotent_request_scope ON idempotent_request
        USING (account_id = nullif(current_setting('app.account_id'), '')::integer AND environment = current_setting('app.environment'));
      -- Whoever forgets what is over works for all accounts at once; it sees the rows, but writes none.
      CREATE POLICY idempotent_request_see ON idempotent_request FOR SELECT
        USING (current_setting('app.operator', true) = 'on');
      CREATE POLICY idempotent_request_forget ON idempotent_request FOR DELETE
        USING (current_setting('app.operator', true) = 'on');
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("DROP TABLE idempotent_request");
  }
}
