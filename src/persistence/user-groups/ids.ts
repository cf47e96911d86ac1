import type { Queryable, Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

const RESERVE: Statement = {
  name: "user_group_ids_reserve",
  access: "write",
  text: "SELECT nextval('user_group_team_id')::integer AS id FROM generate_series(1, $1)",
};

/** How many ids a process draws at once: few enough that the ones lost at a restart do not matter. */
const BLOCK = 32;

/**
 * Hands out internal ids of groups. An id is needed before the insert, as the token is encrypted for it; drawing them in blocks
 * saves the round trip, and an id that came to no use (the group existed already) goes back instead of being burnt.
 */
export class UserGroupIds {
  readonly #db: Queryable;
  readonly #free: number[] = [];
  #refill: Promise<void> | null = null;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** @param transaction of the caller, if there is one: it must not wait for another connection */
  async take(transaction?: TenantDb): Promise<number> {
    if (transaction) return takeOne(await this.takeMany(transaction, 1));
    for (;;) {
      const id = this.#free.shift();
      if (id !== undefined) return id;
      this.#refill ??= this.#reserve();
      await this.#refill;
    }
  }

  /** Draws many ids at once over the transaction's own connection: waiting for a second one could wait for ever. */
  async takeMany(transaction: TenantDb, count: number): Promise<number[]> {
    const rows = await transaction.raw.run<{ id: number }>(RESERVE, [count]);
    return rows.map(({ id }) => id);
  }

  giveBack(id: number): void {
    this.#free.unshift(id);
  }

  async #reserve(): Promise<void> {
    try {
      const rows = await this.#db.run<{ id: number }>(RESERVE, [BLOCK]);
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
