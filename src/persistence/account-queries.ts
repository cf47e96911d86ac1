import type { Queryable } from "./statement.js";

const ID_BY_NAME = { name: "account_id_by_name", text: "SELECT id FROM account WHERE name = $1" };

/** The id of the account with this name, or null. */
export async function findAccountId(db: Queryable, name: string): Promise<number | null> {
  const rows = await db.run<{ id: number }>(ID_BY_NAME, [name]);
  return rows[0]?.id ?? null;
}

const BY_NAME = {
  name: "account_by_name",
  text: `SELECT id AS "accountId", token_key_id AS "tokenKeyId" FROM account WHERE name = $1`,
};

/** The account with this name, and the key that its tokens are sealed under; or null. */
export async function findAccount(
  db: Queryable,
  name: string,
): Promise<{ readonly accountId: number; readonly tokenKeyId: string } | null> {
  const rows = await db.run<{ accountId: number; tokenKeyId: string }>(BY_NAME, [name]);
  return rows[0] ?? null;
}
