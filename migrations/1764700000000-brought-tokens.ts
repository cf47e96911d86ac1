import type { MigrationInterface, QueryRunner } from "typeorm";

// An unset setting must hide rows, not fail: the operator has no account, and the tenant is no operator.
const TENANT = `account_id = nullif(current_setting('app.account_id', true), '')::integer
  AND environment = nullif(current_setting('app.environment', true), '')::environment`;
const OPERATOR = "current_setting('app.operator', true) = 'on'";

export class BroughtTokens1764700000000 implements MigrationInterface {
  readonly name = "BroughtTokens1764700000000";

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      -- Where the group of a token is that does not name its account: one that was brought along from elsewhere. It only leads
      -- there; whether the token still is the group's, the group tells.
      CREATE TABLE brought_token (
        account_id integer NOT NULL,
        environment environment NOT NULL,
        user_group_id integer NOT NULL,
        lookup bytea NOT NULL,
        CONSTRAINT brought_token_pk PRIMARY KEY (account_id, environment, user_group_id),
        CONSTRAINT brought_token_user_group_fk FOREIGN KEY (account_id, environment, user_group_id)
          REFERENCES user_group (account_id, environment, id) ON DELETE CASCADE
      );
      CREATE INDEX brought_token_lookup_ix ON brought_token (lookup);

      ALTER TABLE brought_token ENABLE ROW LEVEL SECURITY;
      ALTER TABLE brought_token FORCE ROW LEVEL SECURITY;
      CREATE POLICY brought_token_scope ON brought_token USING (${TENANT});
      -- Whoever holds such a token says of no account, so it is looked for in all.
      CREATE POLICY brought_token_route ON brought_token FOR SELECT USING (${OPERATOR});
    `);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("DROP TABLE brought_token");
  }
}
