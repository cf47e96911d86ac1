import type { Tenant } from "../domain/caller.js";
import type { Queryable, Statement } from "./statement.js";

const INSERT: Statement = {
  text: `INSERT INTO data_source (account_id, provided_id, name)
    SELECT $1, item.provided_id, item.name FROM unnest($2::text[], $3::text[]) AS item (provided_id, name)
    ORDER BY item.provided_id COLLATE "C"
    ON CONFLICT (account_id, provided_id) DO NOTHING
    RETURNING provided_id AS "providedId"`,
};

const LOCK: Statement = {
  text: `SELECT id, provided_id AS "providedId", name FROM data_source
    WHERE account_id = $1 AND provided_id = ANY ($2::text[]) ORDER BY provided_id FOR NO KEY UPDATE`,
};

const RENAME: Statement = {
  text: `UPDATE data_source SET name = item.new_name FROM unnest($2::integer[], $3::text[]) AS item (item_id, new_name)
    WHERE account_id = $1 AND id = item_id`,
};

/** Creates the data sources whose provided ids are not taken. @returns their provided ids */
export async function insertDataSources(
  transaction: Queryable,
  { accountId }: Tenant,
  items: readonly { readonly providedId: string; readonly name: string }[],
): Promise<ReadonlySet<string>> {
  if (items.length === 0) return new Set();
  const rows = await transaction.run<{ providedId: string }>(INSERT, [
    accountId,
    items.map(({ providedId }) => providedId),
    items.map(({ name }) => name),
  ]);
  return new Set(rows.map(({ providedId }) => providedId));
}

/** The data sources with these provided ids, locked until the transaction ends. */
export async function lockDataSourcesToRename(
  transaction: Queryable,
  { accountId }: Tenant,
  providedIds: readonly string[],
): Promise<readonly { readonly id: number; readonly providedId: string; readonly name: string }[]> {
  return transaction.run(LOCK, [accountId, providedIds]);
}

/** Gives data sources that the transaction has locked other names. */
export async function renameDataSources(
  transaction: Queryable,
  { accountId }: Tenant,
  items: readonly { readonly id: number; readonly name: string }[],
): Promise<void> {
  if (items.length === 0) return;
  await transaction.run(RENAME, [accountId, items.map(({ id }) => id), items.map(({ name }) => name)]);
}
