import type { Account } from "../../domain/accounts/caller.js";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import { AccountEntity } from "../../persistence/accounts/entities.js";
import type { Database } from "../../persistence/database/database.js";
import {
  countTenantRows,
  deleteTenantRows,
  mayDeleteAccounts,
  revokeAllKeys,
  TENANT_TABLES,
} from "../../persistence/transfer/account-deletion-queries.js";
import { EXPORTED_TABLES, exportRows } from "../../persistence/transfer/account-export-queries.js";

/** A file of an account export. */
export interface ExportedFile {
  /** File name without extension. */
  readonly name: string;
  /** The lines in pages; each line is a JSON object. */
  readonly pages: AsyncIterable<readonly string[]>;
}

/**
 * Returns everything that is stored about an account, without secrets, as files of JSON Lines. Not a snapshot: concurrent changes may be
 * included or not.
 */
export function exportAccount(db: Database, account: Account): readonly ExportedFile[] {
  return [
    { name: "account", pages: linesOf(account) },
    ...EXPORTED_TABLES.map((name) => ({ name, pages: rowsOf(db, account.id, name) })),
  ];
}

async function* linesOf({ id, name, createdAt }: Account): AsyncGenerator<readonly string[]> {
  yield [JSON.stringify({ id, name, created_at: createdAt })];
}

async function* rowsOf(db: Database, accountId: number, name: string): AsyncGenerator<readonly string[]> {
  for (const environment of ENVIRONMENTS) yield* exportRows(db.for({ accountId, environment }), name);
}

/** Rows per statement; small, so that rows are locked only briefly. */
const BATCH_SIZE = 2000;

/** Deletes an account with everything that belongs to it, in batches. The next run continues an interrupted one. */
export class AccountDeletion {
  /** @param db connected as the owner role: the application role cannot delete accounts */
  constructor(private readonly db: Database) {}

  async isAllowed(): Promise<boolean> {
    return mayDeleteAccounts(this.db);
  }

  /** Counts the account's rows by table. */
  async count(accountId: number): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    for (const environment of ENVIRONMENTS) {
      for (const [table, count] of await countTenantRows(this.db.for({ accountId, environment })))
        counts.set(table, (counts.get(table) ?? 0) + count);
    }
    return counts;
  }

  /**
   * Revokes the account's API keys, then deletes its rows and last the account.
   * @param onProgress called with the number of rows deleted so far
   * @returns the number of deleted rows; null if it was stopped before the end
   */
  async run(
    accountId: number,
    signal: AbortSignal,
    onProgress: (rows: number) => void,
  ): Promise<number | null> {
    for (const environment of ENVIRONMENTS) {
      await this.db.for({ accountId, environment }).transaction(revokeAllKeys);
    }
    let total = 0;
    // Requests in progress may add rows behind the deletion.
    for (let before = -1; before < total; ) {
      before = total;
      for (const environment of ENVIRONMENTS) {
        const db = this.db.for({ accountId, environment });
        for (const table of TENANT_TABLES) {
          for (let deleted = BATCH_SIZE; deleted === BATCH_SIZE; ) {
            if (signal.aborted) return null;
            deleted = await db.transaction((transaction) => deleteTenantRows(transaction, table, BATCH_SIZE));
            total += deleted;
            onProgress(total);
          }
        }
      }
    }
    await this.db.entities({ accountId }, (manager) => manager.delete(AccountEntity, { id: accountId }));
    return total + 1;
  }
}
