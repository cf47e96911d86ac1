import type { QueryRunner } from "typeorm";
import { hasDistributedGroups } from "./shared/distributed-groups.js";
import type { LockingMigration } from "./shared/locks.js";

export class UserGroupHistory1765400000000 implements LockingMigration {
  readonly name = "UserGroupHistory1765400000000";
  readonly locks = { user_group: "SHARE ROW EXCLUSIVE" } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    // mapping is null if the change did not concern it: rows with the same mapping_version, or the group, have the same mapping.
    await queryRunner.query(`
      CREATE TABLE user_group_history (
        account_id integer NOT NULL,
        environment environment NOT NULL,
        user_group_id bigint NOT NULL,
        version integer NOT NULL,
        name character varying(255) COLLATE "C" NOT NULL,
        properties json,
        mapping_version integer NOT NULL,
        mapping json,
        replaced_at timestamp(3) with time zone NOT NULL DEFAULT now(),
        replaced_by text NOT NULL,
        CONSTRAINT user_group_history_pk PRIMARY KEY (account_id, environment, user_group_id, version)
      );
      CREATE INDEX user_group_history_replaced_at_ix ON user_group_history (account_id, environment, replaced_at);
      CREATE POLICY user_group_history_scope ON user_group_history USING (
        account_id = nullif(current_setting('app.account_id', true), '')::integer
        AND environment = nullif(current_setting('app.environment', true), '')::environment);
      ALTER TABLE user_group_history ENABLE ROW LEVEL SECURITY;
      ALTER TABLE user_group_history FORCE ROW LEVEL SECURITY;`);
    // Citus refuses foreign keys from local to distributed tables: `distribute` adds this one.
    if (await hasDistributedGroups(queryRunner)) return;
    await queryRunner.query(`
      ALTER TABLE user_group_history ADD CONSTRAINT user_group_history_user_group_fk
        FOREIGN KEY (account_id, environment, user_group_id)
        REFERENCES user_group (account_id, environment, id) ON DELETE CASCADE`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query("DROP TABLE user_group_history");
  }
}
