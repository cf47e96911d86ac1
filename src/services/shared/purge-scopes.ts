import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import { findAccountIds } from "../../persistence/accounts/account-queries.js";
import type { Database } from "../../persistence/database/database.js";
import {
  inspectPurges,
  type PurgedBatch,
  type PurgeQueries,
  readFromIndex,
} from "../../persistence/shared/purge-queries.js";
import type { Queryable } from "../../persistence/shared/statement.js";
import type { TenantDb } from "../../persistence/shared/tenant-db.js";

const ACCOUNTS_PER_PAGE = 1000;

/** A kind of expired data. */
export interface Purge<Db = TenantDb> extends PurgeQueries<Db> {
  /** Label in metrics and the log. */
  readonly name: string;
}

export interface PurgeList {
  /** Run for each environment of each account. */
  readonly tenant: readonly Purge[];
  /** Run once, with the operator scope. */
  readonly shared: readonly Purge<Queryable>[];
}

/** The purges of one tenant, or of the tables without tenants. */
export interface PurgeScope {
  /** Null for tables without tenants. */
  readonly accountId: number | null;
  /** Evaluates an expression of all purges. @returns the values by purge */
  inspect(expression: "overdueSeconds" | "count"): Promise<ReadonlyMap<string, number | null>>;
  /** Removes up to `limit` rows in one transaction. */
  removeBatch(name: string, limit: number): Promise<PurgedBatch>;
}

/** Returns the scopes of all tenants one after the other, so that each statement reads one tenant's rows within its row scope. */
export async function* purgeScopes(db: Database, { tenant, shared }: PurgeList): AsyncGenerator<PurgeScope> {
  const operator = <T>(work: (transaction: Queryable) => Promise<T>) => db.transaction("operator", work);
  yield scopeOf(null, shared, operator, (transaction) => transaction);
  for (let ids = await findAccountIds(db.of("operator"), 0, ACCOUNTS_PER_PAGE); ids.length > 0; ) {
    for (const accountId of ids) {
      for (const environment of ENVIRONMENTS) {
        const tenantDb = db.for({ accountId, environment });
        const transaction = <T>(work: (transaction: TenantDb) => Promise<T>) => tenantDb.transaction(work);
        yield scopeOf(accountId, tenant, transaction, ({ raw }) => raw);
      }
    }
    ids = await findAccountIds(db.of("operator"), ids.at(-1) ?? 0, ACCOUNTS_PER_PAGE);
  }
}

/** @param rawOf returns the transaction without the tenant's values */
function scopeOf<Db extends Queryable>(
  accountId: number | null,
  purges: readonly Purge<Db>[],
  transaction: <T>(work: (transaction: Db) => Promise<T>) => Promise<T>,
  rawOf: (transaction: Db) => Queryable,
): PurgeScope {
  const fromIndex = <T>(work: (within: Db) => Promise<T>) =>
    transaction(async (within) => {
      await readFromIndex(rawOf(within));
      return work(within);
    });
  return {
    accountId,
    inspect: (expression) =>
      fromIndex((within) =>
        inspectPurges(within, new Map(purges.map((purge) => [purge.name, purge[expression]]))),
      ),
    async removeBatch(name, limit) {
      const purge = purges.find((one) => one.name === name);
      if (!purge) throw new Error(`There is no purge ${name} in this scope.`);
      return fromIndex((within) => purge.removeBatch(within, limit));
    },
  };
}
