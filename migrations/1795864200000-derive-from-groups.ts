import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";
import { backfill, buildIndex, dropIndex, runSeparately } from "./shared/online.js";

const TEXT = `(name || E'\\n' || provided_id)`;

const SEARCH_TEXT = `CASE WHEN octet_length(${TEXT}) = length(${TEXT}) THEN NULL
  ELSE lower(regexp_replace(normalize(translate(${TEXT}, 'łŁøØđĐħĦŧŦı', 'lLoOdDhHtTi'), NFD), '[\\u0300-\\u036f]', '', 'g')
    COLLATE "default") END`;

const IS_MAPPED = `EXISTS (SELECT FROM mapping_entry AS entry WHERE entry.account_id = $1
  AND entry.environment = $2 AND entry.user_group_id = user_group.id)`;

export class DeriveFromGroups1795864200000 implements LockingMigration {
  readonly name = "DeriveFromGroups1795864200000";
  readonly transaction = false;
  readonly locks = { user_group: "ACCESS EXCLUSIVE" } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    // Nullable, and checked against what they are derived from: the former version of the service changes groups without them.
    await runSeparately(queryRunner, [
      `ALTER TABLE user_group ADD COLUMN IF NOT EXISTS search_text text COLLATE "C",
        ADD COLUMN IF NOT EXISTS search_hash integer, ADD COLUMN IF NOT EXISTS mapped_version integer`,
    ]);
    await backfill(queryRunner, {
      table: "user_group",
      read: `${IS_MAPPED} AS is_mapped`,
      set: `search_text = ${SEARCH_TEXT}, search_hash = hashtext(${TEXT}),
        mapped_version = CASE WHEN is_mapped THEN mapping_version ELSE -mapping_version END`,
      where: "mapped_version IS NULL",
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
      `ALTER TABLE user_group DROP COLUMN IF EXISTS search_text, DROP COLUMN IF EXISTS search_hash,
        DROP COLUMN IF EXISTS mapped_version`,
    ]);
  }
}
