import type { Account } from "../../domain/accounts/account.js";
import { ENVIRONMENTS } from "../../domain/accounts/environment.js";
import type { Database } from "../../persistence/database/database.js";
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
