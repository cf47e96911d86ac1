import type { Queryable, Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

const RESERVE: Statement = {
  name: "user_group_ids_reserve",
  access: "write",
  text: "SELECT nextval('user_group_team_id') AS id FROM generate_series(1, $1)",
};

/** Number of IDs reserved at once: few, as unused ones are lost at a restart. */
const BLOCK_SIZE = 32;

/**
 * Allocates internal IDs of groups. The ID is needed before the insert: a batched creation passes the request of each ID to the audit log. IDs
 * are reserved in blocks to save a round trip, and returned if unused because the group existed already.
 */
export class UserGroupIds {
  readonly #db: Queryable;
  readonly #free: number[] = [];
  #refill: Promise<void> | null = null;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** @param transaction the caller's open transaction, if any: it must not wait for a second connection */
  async take(transaction?: TenantDb): Promise<number> {
    if (transaction) return takeOne(await this.takeMany(transaction, 1));
    for (;;) {
      const id = this.#free.shift();
      if (id !== undefined) return id;
      this.#refill ??= this.#reserve();
      await this.#refill;
    }
  }

  /** Reserves IDs over the transaction's connection: waiting for a second one could deadlock on an exhausted pool. */
  async takeMany(transaction: TenantDb, count: number): Promise<number[]> {
    const rows = await transaction.raw.run<{ id: number }>(RESERVE, [count]);
    return rows.map(({ id }) => id);
  }

  release(id: number): void {
    this.#free.unshift(id);
  }

  async #reserve(): Promise<void> {
    try {
      const rows = await this.#db.run<{ id: number }>(RESERVE, [BLOCK_SIZE]);
      this.#free.push(...rows.map(({ id }) => id));
    } finally {
      this.#refill = null;
    }
  }
}

function takeOne([id]: readonly number[]): number {
  if (id === undefined) throw new Error("The sequence of ids has no end.");
  return id;
}
