import type { QueryRunner } from "typeorm";
import { buildIndex, dropIndex } from "./shared/indexes.js";
import type { LockingMigration } from "./shared/locks.js";

const STATES = ["pending", "delivered", "dead"];
const nameOf = (state: string) => `webhook_delivery_endpoint_${state}_ix`;

export class IndexDeliveriesByEndpointAndState1765020000000 implements LockingMigration {
  readonly name = "IndexDeliveriesByEndpointAndState1765020000000";
  readonly transaction = false;
  readonly locks = { webhook_delivery: "SHARE UPDATE EXCLUSIVE" } as const;

  async up(queryRunner: QueryRunner): Promise<void> {
    // Partial, as a condition on the state cannot be one of an index: comparisons of enums are not leakproof.
    for (const state of STATES)
      await buildIndex(
        queryRunner,
        nameOf(state),
        `webhook_delivery (account_id, environment, endpoint_id, id) WHERE state = '${state}'`,
      );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const state of STATES) await dropIndex(queryRunner, nameOf(state));
  }
}
