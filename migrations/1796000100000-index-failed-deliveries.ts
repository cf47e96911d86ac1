import type { QueryRunner } from "typeorm";
import type { LockingMigration } from "./shared/locks.js";
import { buildIndex, dropIndex } from "./shared/online.js";

const INDEXES = {
  webhook_delivery_endpoint_failed_ix: "account_id, environment, endpoint_id, id",
  webhook_delivery_failed_ix: "account_id, environment, id",
} as const;

export class IndexFailedDeliveries1796000100000 implements LockingMigration {
  readonly name = "IndexFailedDeliveries1796000100000";
  readonly transaction = false;
  readonly locks = { webhook_delivery: "SHARE UPDATE EXCLUSIVE" } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(INDEXES))
      await buildIndex(queryRunner, name, `webhook_delivery (${columns}) WHERE last_error IS NOT NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await dropIndex(queryRunner, name);
  }
}
