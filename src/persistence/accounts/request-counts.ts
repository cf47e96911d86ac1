import type { TenantKey } from "../../domain/accounts/caller.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Raw SQL: INSERT … ON CONFLICT that adds to the row, which TypeORM does not support; without it, the table needs no entity.

const ADD: Statement = {
  name: "request_count_add",
  access: "write",
  // Not for an account that was deleted in the meantime. Without RETURNING, Citus would insert by COPY, which PostgreSQL refuses with row-level security.
  text: `INSERT INTO request_count (account_id, environment, day, calls, errors)
    SELECT id, $2, date '1970-01-01' + $3::integer, $4, $5 FROM account WHERE id = $1
    ON CONFLICT (account_id, environment, day) DO UPDATE
      SET calls = request_count.calls + excluded.calls, errors = request_count.errors + excluded.errors
    RETURNING 1`,
};

/** Calls of a tenant on one day. */
export interface RequestCount extends TenantKey {
  /** Days since 1970-01-01 in UTC. */
  readonly day: number;
  readonly calls: number;
  readonly errors: number;
}

/** Adds calls to those that are stored. */
export async function addRequests(db: TenantDb, { day, calls, errors }: RequestCount): Promise<void> {
  await db.run(ADD, [day, calls, errors]);
}
