import { createdDataSources, updatedDataSources } from "../data-sources/queries.js";
import type { Statement } from "../shared/statement.js";
import type { TenantDb } from "../shared/tenant-db.js";

// Raw SQL: set-based batches.

const INSERT: Statement = {
  access: "write",
  ...createdDataSources(
    `INSERT INTO data_source (account_id, environment, provided_id, name)
    SELECT $1, $2, item.provided_id, item.name FROM unnest($3::text[], $4::text[]) AS item (provided_id, name)
    ORDER BY item.provided_id COLLATE "C"
    ON CONFLICT (account_id, environment, provided_id) DO NOTHING
    RETURNING *`,
    `provided_id AS "providedId"`,
  ),
};

const LOCK: Statement = {
  access: "write",
  text: `SELECT id, provided_id AS "providedId", name FROM data_source
    WHERE account_id = $1 AND environment = $2 AND provided_id = ANY ($3::text[]) ORDER BY provided_id FOR NO KEY UPDATE`,
};

const RENAME: Statement = {
  access: "write",
  ...updatedDataSources(
    `UPDATE data_source SET name = item.new_name
    FROM (SELECT id AS item_id, new_name, provided_id AS old_provided_id, name AS old_name FROM data_source
      JOIN unnest($3::bigint[], $4::text[]) AS item (item_id, new_name) ON id = item_id
      WHERE account_id = $1 AND environment = $2) AS item
    WHERE account_id = $1 AND environment = $2 AND id = item_id RETURNING data_source.*, old_provided_id, old_name`,
    "id",
  ),
};

/** Inserts the data sources whose external IDs do not exist. @returns the inserted external IDs */
export async function insertDataSources(
  transaction: TenantDb,
  items: readonly { readonly providedId: string; readonly name: string }[],
): Promise<ReadonlySet<string>> {
  if (items.length === 0) return new Set();
  const rows = await transaction.run<{ providedId: string }>(INSERT, [
    items.map(({ providedId }) => providedId),
    items.map(({ name }) => name),
  ]);
  return new Set(rows.map(({ providedId }) => providedId));
}

/** Loads data sources by external ID and locks them until the transaction ends. */
export async function lockDataSourcesToRename(
  transaction: TenantDb,
  providedIds: readonly string[],
): Promise<readonly { readonly id: number; readonly providedId: string; readonly name: string }[]> {
  return transaction.run(LOCK, [providedIds]);
}

/** Renames data sources that the transaction has locked. */
export async function renameDataSources(
  transaction: TenantDb,
  items: readonly { readonly id: number; readonly name: string }[],
): Promise<void> {
  if (items.length === 0) return;
  const ids = items.map(({ id }) => id);
  await transaction.run(RENAME, [ids, items.map(({ name }) => name)]);
}
