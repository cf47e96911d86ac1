import type { QueryRunner } from "typeorm";
import { hasDistributedGroups } from "./shared/distributed-groups.js";
import type { LockingMigration } from "./shared/locks.js";

// Half of each page stays free: counting updates the row within its page, without touching an index.
const TABLE = `
CREATE TABLE embed_session_count (
  account_id integer NOT NULL,
  environment environment NOT NULL,
  user_group_id bigint NOT NULL,
  day date NOT NULL,
  api_key_id bigint NOT NULL,
  count bigint NOT NULL,
  CONSTRAINT embed_session_count_pk PRIMARY KEY (account_id, environment, user_group_id, day, api_key_id)
) WITH (fillfactor = 50);
CREATE INDEX embed_session_count_day_ix ON embed_session_count (account_id, environment, day, api_key_id);
CREATE POLICY embed_session_count_scope ON embed_session_count
  USING (account_id = nullif(current_setting('app.account_id', true), '')::integer
    AND environment = nullif(current_setting('app.environment', true), '')::environment);
ALTER TABLE embed_session_count ENABLE ROW LEVEL SECURITY;
ALTER TABLE embed_session_count FORCE ROW LEVEL SECURITY;`;

const FOREIGN_KEY = `
ALTER TABLE embed_session_count ADD CONSTRAINT embed_session_count_user_group_fk
  FOREIGN KEY (account_id, environment, user_group_id) REFERENCES user_group (account_id, environment, id) ON DELETE CASCADE;`;

export class CountEmbedSessions1765300000000 implements LockingMigration {
  readonly name = "CountEmbedSessions1765300000000";
  readonly locks = { user_group: "SHARE ROW EXCLUSIVE" } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    // Citus refuses foreign keys from local to distributed tables: `distribute` adds this one.
    const isDistributed = await hasDistributedGroups(queryRunner);
    await queryRunner.query(isDistributed ? TABLE : TABLE + FOREIGN_KEY);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("DROP TABLE embed_session_count");
  }
}
