import type { Queryable } from "./statement.js";

const ID_BY_NAME = { name: "account_id_by_name", text: "SELECT id FROM account WHERE name = $1" };

/** The id of the account with this name, or null. */
export async function findAccountId(db: Queryable, name: string): Promise<number | null> {
  const rows = await db.run<{ id: number }>(ID_BY_NAME, [name]);
  return rows[0]?.id ?? null;
}
