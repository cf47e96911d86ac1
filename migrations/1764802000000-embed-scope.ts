import type { MigrationInterface, QueryRunner } from "typeorm";

/** Replaces the type of the column: a value that is added to an enum cannot be used in the same transaction. */
const replaceScopes = (scopes: string, from: string, to: string) => `
  ALTER TYPE api_key_scope RENAME TO api_key_scope_former;
  CREATE TYPE api_key_scope AS ENUM (${scopes});
  ALTER TABLE api_key ALTER COLUMN scope TYPE api_key_scope
    USING (CASE scope::text WHEN '${from}' THEN '${to}' ELSE scope::text END)::api_key_scope;
  DROP TYPE api_key_scope_former;`;

export class EmbedScope1764802000000 implements MigrationInterface {
  readonly name = "EmbedScope1764802000000";

  /** Keys keep what they could do: a key with the scope `read` could read tokens over REST. */
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(replaceScopes("'read', 'embed', 'write', 'admin'", "read", "embed"));
  }

  /** Keys that could read everything but tokens can read tokens over REST again: there is no lesser scope. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(replaceScopes("'read', 'write', 'admin'", "embed", "read"));
  }
}
