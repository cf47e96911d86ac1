import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";
import { backfill, buildIndex, dropIndex, runSeparately } from "./shared/online.js";

const TEXT = `name || E'\\n' || provided_id`;

const SEARCH_TEXT = `lower(CASE WHEN octet_length(${TEXT}) = length(${TEXT}) THEN ${TEXT}
  ELSE regexp_replace(normalize(translate(${TEXT}, 'łŁøØđĐħĦŧŦı', 'lLoOdDhHtTi'), NFD), '[\\u0300-\\u036f]', '', 'g')
  END COLLATE "default")`;

const IS_MAPPED = `EXISTS (SELECT FROM mapping_entry AS entry WHERE entry.account_id = user_group.account_id
  AND entry.environment = user_group.environment AND entry.user_group_id = user_group.id)`;

export class DeriveFromGroups1795864000000 implements LockingMigration {
  readonly name = "DeriveFromGroups1795864000000";
  readonly transaction = false;
  readonly locks = { user_group: "ACCESS EXCLUSIVE" } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    // Nullable, and each with the version that it is derived from: the former version of the service changes groups without them.
    await runSeparately(queryRunner, [
      `ALTER TABLE user_group ADD COLUMN IF NOT EXISTS search_text text COLLATE "C",
        ADD COLUMN IF NOT EXISTS search_version integer, ADD COLUMN IF NOT EXISTS mapped_version integer`,
    ]);
    await backfill(queryRunner, {
      table: "user_group",
      set: `search_text = ${SEARCH_TEXT}, search_version = version,
        mapped_version = CASE WHEN ${IS_MAPPED} THEN mapping_version ELSE -mapping_version END`,
      where: "search_version IS NULL",
    });
    // CASE … = 0: the planner expects few rows to meet it.
    await buildIndex(
      queryRunner,
      "user_group_unmapped_ix",
      `user_group (account_id, environment, id) WHERE CASE WHEN mapped_version = mapping_version THEN 1 ELSE 0 END = 0`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, "user_group_unmapped_ix");
    await runSeparately(queryRunner, [
      `ALTER TABLE user_group DROP COLUMN IF EXISTS search_text, DROP COLUMN IF EXISTS search_version,
        DROP COLUMN IF EXISTS mapped_version`,
    ]);
  }
}
